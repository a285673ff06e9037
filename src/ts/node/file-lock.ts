/** One process at a time: a lock file that outlives no process. */

import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { setTimeout as after } from "node:timers/promises";

/**
 * Takes the lock at `path` for this process; the function that is returned gives it back. Resolves
 * with `undefined` where a process that lives, or one of another machine, has it. The lock of a
 * process that is dead is taken over.
 */
export async function takeLock(path: string): Promise<(() => void) | undefined> {
  const own = describe(process.pid);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (create(path, own)) {
      // Whoever took over the same dead lock may have taken this one for it.
      if (attempt > 0) await after(SETTLE_MS);
      if (attempt > 0 && read(path) !== own) continue;
      return () => {
        if (read(path) === own) remove(path);
      };
    }
    const holder = read(path);
    if (holder === undefined) continue;
    if (!isDead(holder)) return undefined;
    takeAway(path, holder);
  }
  return undefined;
}

/** Takes a dead lock away, but not one that a living process has put in its place meanwhile. */
function takeAway(path: string, dead: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, "utf8") !== dead) linkSync(aside, path);
  } catch {
    // Another process was quicker.
  }
  remove(aside);
}

function create(path: string, text: string): boolean {
  let file: number;
  try {
    file = openSync(path, "wx");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  writeSync(file, text);
  closeSync(file);
  return true;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone.
  }
}

/** Who a process is: its machine, its number, and where the system tells them, when the machine and
 * the process began, for numbers are used again. */
function describe(pid: number): string {
  const boot = read("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  // The name of the program, in brackets, may hold spaces; the start time is the 20th field behind.
  const began = read(`/proc/${pid}/stat`)?.split(") ").at(-1)?.split(" ")[19] ?? "";
  return JSON.stringify({ host: hostname(), boot, pid, began });
}

function isDead(holder: string): boolean {
  let parsed: { host?: unknown; pid?: unknown };
  try {
    parsed = JSON.parse(holder);
  } catch {
    // Its maker died, or is about to write: it gets the time of one attempt.
    return false;
  }
  const { host, pid } = parsed;
  if (host !== hostname() || typeof pid !== "number") return false;
  return !isAlive(pid) || describe(pid) !== holder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const ATTEMPTS = 8;
const SETTLE_MS = 50;
