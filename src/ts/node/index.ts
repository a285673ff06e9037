/** What only Node can do: `team-protocols/node`. */

export { FileJournal, type FileJournalOptions } from "./file-journal.js";
