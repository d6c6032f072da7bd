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

/** From `npm run bench -- --quick P8 P9 P22`. */
export const MEASURED = {
  day: '26 November 2026',
  machine: 'a virtual machine with 2 cores (AMD EPYC), Node 24',
  note: 'The same work on the same files, by the engine alone and by calls that are authenticated, queued, confined, billed and stored. Nothing else ran on the machine.',
  unit: 'a second',
  rows: [
    {
      work: 'A photo of 3 megapixels to 400 px of WebP, over sharp in a small HTTP server',
      alone: '62.4',
      call: '56.7',
    },
    { work: 'Merge two PDFs of 100 pages each, over qpdf from a shell', alone: '111', call: '55.4' },
    {
      work: 'Print an invoice in HTML as a PDF, one at a time, over Chromium by playwright',
      alone: '47.0',
      call: '27.2',
    },
  ],
} as const
