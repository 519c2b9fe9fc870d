// Runs before the scripts of a page. What a shared worker asks for can be neither watched nor answered
// from an archive; pages that look whether there are any take another way.
() => {
  delete globalThis.SharedWorker;
}
