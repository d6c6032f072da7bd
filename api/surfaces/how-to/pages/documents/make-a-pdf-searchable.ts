import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Make a scanned PDF searchable',
  lead: 'A scan is a picture of text. This puts the recognized words invisibly under the picture, so that the file can be searched, copied from and read aloud.',
  keywords: 'ocr, searchable pdf, scan, text layer, archive',
  steps: [
    {
      call: 'pdf.ocr-searchable',
      input: { file: 'sample:scan.pdf', languages: ['en'], sidecar: true },
      saves: 'searchable.pdf',
    },
  ],
  pitfalls: [
    'Name the languages of the document, the most likely first. The default is English, and umlauts or accents are misread without their language.',
    'Pages that already have text are skipped, for an eighth of the price. `mode: "redo"` replaces the invisible text of an earlier OCR.',
    'A file with a digital signature is refused with `PDF_SIGNED`, because any change would break the signature. `allowBreakSignatures: true` says that you want that.',
    'More than a few pages take longer than an answer may: the call then answers 202 with a ticket. The clients wait for it; with curl read `GET /v1/jobs/{id}?wait=30`.',
  ],
})
