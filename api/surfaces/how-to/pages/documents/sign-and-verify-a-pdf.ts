import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Check the digital signatures of a PDF',
  lead: 'Who signed, was anything changed since, and does the certificate lead to somebody you trust? The answer says it for each signature.',
  keywords: 'verify signature, pades, certificate, digital signature, tampered, integrity',
  steps: [
    {
      call: 'pdf.verify-signatures',
      input: { file: 'sample:signed.pdf', trust: ['sample:root.pem'], at: '2026-06-01T00:00:00Z' },
    },
  ],
  pitfalls: [
    '`integrity` and `trust` are two questions. A file that nobody changed may be signed by a certificate that anybody could have made.',
    'A signature can cover an earlier state of the file only: see `coversWholeFile`. What was added later was not signed.',
    'A document without signatures is an answer with `signed: false` and no error.',
    'A picture of a handwritten name is no digital signature, and is not found here.',
  ],
})
