import { existsSync } from "node:fs";
import { Failure, output, say, tryRun } from "./run.mjs";

/** Finds a Chromium; installs Debian's where there is none and that is allowed. Returns its path. */
export function ensureBrowser() {
  const found = findBrowser();
  if (found !== undefined) return found;
  if (output("apt-get", ["--version"]) !== undefined && process.getuid?.() === 0) {
    say("installing Chromium (apt-get)");
    tryRun("apt-get", ["update", "-qq"]);
    tryRun("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"]);
  }
  const installed = findBrowser();
  if (installed !== undefined) return installed;
  throw new Failure(
    "No Chromium was found for the tests in a browser. Install Chromium or Chrome, or name its " +
      "program in the variable CHROMIUM. Then run this again.",
  );
}

function findBrowser() {
  const { CHROMIUM } = process.env;
  return [CHROMIUM, ...USUAL].find((path) => path !== undefined && existsSync(path));
}

const USUAL = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];
