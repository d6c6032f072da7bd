import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Remove names and numbers from a PDF for good',
  lead: 'Redaction takes the content out of the file instead of drawing a box over it. Before the answer, another program reads the result and must not find what was removed.',
  keywords: 'redact, black out, anonymize, gdpr, remove personal data, censor',
  steps: [
    {
      call: 'pdf.redact',
      input: {
        file: 'sample:letter.pdf',
        patterns: [String.raw`[\w.]+@[\w.]+`],
        texts: ['harbour'],
        removeMetadata: true,
      },
      saves: 'redacted.pdf',
    },
  ],
  pitfalls: [
    'A box that a PDF editor draws leaves the text in the file. Check any redaction by copying the page into a text editor.',
    'A page where removal is not certain, such as a scan, becomes an image with the rest of its text searchable.',
    'Title, author and attachments can name people too: set `removeMetadata` and `removeAttachments`.',
    'Patterns are RE2, so there is no look-ahead and no back-reference; `REGEX_UNSUPPORTED` says so.',
  ],
})
