interface SelfRun {
  need: string
  run: string
  left: string
}

/** What somebody would run who does it without this service. */
export const SELF_RUN: readonly SelfRun[] = [
  {
    need: 'HTML and office files as PDF',
    run: 'Gotenberg, with Chromium and LibreOffice',
    left: 'Keys and limits per customer, rules for what a page may load, fonts, a queue for bursts. Gotenberg does the printing well.',
  },
  {
    need: 'Images resized and converted',
    run: 'imgproxy, or sharp in a service of your own',
    left: 'Keys per customer, storage for results, formats that your build lacks, memory under load. imgproxy signs its URLs and limits pixels.',
  },
  {
    need: 'PDF merged, split, stamped, redacted',
    run: 'Stirling-PDF, or qpdf and pdf-lib in code',
    left: 'Damaged files, passwords, proof that redacted text is gone, forms and bookmarks that survive a merge, a process for each file.',
  },
  {
    need: 'Text of scans',
    run: 'Tesseract with OCRmyPDF',
    left: 'Language data, minutes of processor time per document, a queue with progress and cancelling.',
  },
  {
    need: 'Video and audio',
    run: 'ffmpeg behind a job queue',
    left: 'Probing before you start, a price per minute, disk space, codecs that your build may not contain.',
  },
  {
    need: 'Tables and SQL over files',
    run: 'DuckDB in a sandbox',
    left: 'Making sure that a query cannot read files or the network, types of CSV, limits on memory and time.',
  },
  {
    need: 'Files shared, mailboxes, proofs',
    run: 'S3 with signed URLs, and a small service',
    left: 'Links that work once, mail scanners that follow them, expiry, a log that shows tampering, keys that are rotated.',
  },
  {
    need: 'Payment per call',
    run: 'Stripe metering, or an x402 facilitator',
    left: 'Holding before and charging after, refunds of failed work, limits per key, books that balance after a crash.',
  },
]

/** From `npm run bench -- P8 P9 P20`. */
export const MEASURED = {
  day: '26 November 2026',
  machine: 'a machine with 2 cores of a cloud server',
  note: 'The same work on the same files, by the engine alone and by a call that is authenticated, queued, confined, billed and stored.',
  rows: [] as readonly { work: string; alone: string; call: string; unit: string }[],
} as const
