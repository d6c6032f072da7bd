/** A choice or a text that a visitor sets before trying. */
interface TryField {
  name: string
  label: string
  /** Left out for a text. */
  choices?: readonly (readonly [value: string, label: string])[]
  value: string
  maxLength?: number
}

/** An operation that visitors can try, with the few options that show what it does. */
export interface Try {
  /** The end of its address. */
  name: string
  operation: string
  title: string
  lead: string
  /** Left out where the operation needs no file. */
  file?: { accept: string; sample: string; hint: string }
  fields: readonly TryField[]
  /** What is sent besides the file. */
  options(values: Readonly<Record<string, string>>): Record<string, unknown>
  /** The page about the task. */
  howTo: string
}

const PDF = 'application/pdf,.pdf'
const IMAGES = 'image/*,.heic,.avif'

// The order shows the range: pictures, documents, tables, recordings, codes.
export const TRIES: readonly Try[] = [
  {
    name: 'resize-image',
    operation: 'image.resize',
    title: 'Resize a picture',
    lead: 'A photo becomes small enough for the web. Its location and camera are removed.',
    file: { accept: IMAGES, sample: 'gradient.png', hint: 'JPEG, PNG, WebP, AVIF, HEIC, GIF, TIFF or SVG' },
    fields: [
      {
        name: 'width',
        label: 'Width',
        value: '640',
        choices: ['160', '320', '640', '1280'].map(px => [px, `${px} px`]),
      },
      {
        name: 'format',
        label: 'Format',
        value: 'webp',
        choices: ['webp', 'avif', 'jpeg', 'png'].map(name => [name, name]),
      },
    ],
    options: ({ width, format }) => ({ width: Number(width), format }),
    howTo: 'resize-images-for-the-web',
  },
  {
    name: 'searchable-pdf',
    operation: 'pdf.ocr-searchable',
    title: 'Make a scan searchable',
    lead: 'The recognized words are put invisibly under the scan.',
    file: { accept: PDF, sample: 'scan.pdf', hint: 'A PDF of a few scanned pages' },
    fields: [
      {
        name: 'language',
        label: 'Language',
        value: 'en',
        choices: [
          ['en', 'English'],
          ['de', 'German'],
          ['fr', 'French'],
          ['es', 'Spanish'],
        ],
      },
    ],
    options: ({ language }) => ({ languages: [language] }),
    howTo: 'make-a-pdf-searchable',
  },
  {
    name: 'redact-pdf',
    operation: 'pdf.redact',
    title: 'Black out words in a PDF',
    lead: 'The words are taken out of the file, and another program checks that they are gone.',
    file: { accept: PDF, sample: 'letter.pdf', hint: 'A PDF with text' },
    fields: [{ name: 'word', label: 'Words, separated by commas', value: 'harbour, wind', maxLength: 200 }],
    options: ({ word = '' }) => ({
      texts: word
        .split(',')
        .map(text => text.trim())
        .filter(text => text !== '')
        .slice(0, 10),
    }),
    howTo: 'redact-a-pdf',
  },
  {
    name: 'smaller-pdf',
    operation: 'pdf.compress',
    title: 'Make a PDF smaller',
    lead: 'Images are reduced to what a reader can see; text and links stay.',
    file: { accept: PDF, sample: 'scan.pdf', hint: 'A PDF with images' },
    fields: [
      {
        name: 'level',
        label: 'Level',
        value: 'recommended',
        choices: [
          ['low', 'For print'],
          ['recommended', 'For the screen'],
          ['extreme', 'As small as possible'],
        ],
      },
    ],
    options: ({ level }) => ({ level }),
    howTo: 'make-a-pdf-smaller',
  },
  {
    name: 'office-to-pdf',
    operation: 'pdf.from-office',
    title: 'Word or Excel to PDF',
    lead: 'Printed by LibreOffice. No macro runs.',
    file: {
      accept: '.docx,.xlsx,.pptx,.odt,.ods,.odp,.doc,.xls,.ppt,.rtf',
      sample: 'log-book.docx',
      hint: 'A file of Word, Excel, PowerPoint or OpenDocument',
    },
    fields: [],
    options: () => ({ maxPages: 20 }),
    howTo: 'turn-word-into-pdf',
  },
  {
    name: 'document-to-markdown',
    operation: 'doc.to-markdown',
    title: 'Document to Markdown',
    lead: 'What language models read best, with headings and tables.',
    file: {
      accept: '.pdf,.docx,.odt,.pptx,.epub,.html,.xlsx',
      sample: 'letter.pdf',
      hint: 'PDF, Word, slides, e-book or page',
    },
    fields: [],
    options: () => ({}),
    howTo: 'turn-any-document-into-markdown',
  },
  {
    name: 'tables-from-pdf',
    operation: 'doc.extract-tables',
    title: 'Tables out of a PDF',
    lead: 'The tables of the first page as data.',
    file: { accept: `${PDF},image/*`, sample: 'price-list.pdf', hint: 'A PDF or a picture of a page' },
    fields: [
      {
        name: 'numbers',
        label: 'Numbers',
        value: 'parse',
        choices: [
          ['parse', 'As numbers'],
          ['keep', 'As printed'],
        ],
      },
    ],
    options: ({ numbers }) => ({ numbers }),
    howTo: 'take-tables-out-of-a-pdf',
  },
  {
    name: 'query-table',
    operation: 'data.sql',
    title: 'Query a table with SQL',
    lead: 'One SELECT over your file, run by DuckDB in a process that can read nothing else.',
    file: {
      accept: '.csv,.tsv,.json,.xlsx,.parquet',
      sample: 'people.xlsx',
      hint: 'CSV, Excel, JSON or Parquet; the table is called input',
    },
    fields: [{ name: 'sql', label: 'SQL', value: 'SELECT * FROM input LIMIT 20', maxLength: 2_000 }],
    options: ({ sql }) => ({ sql, outFormat: 'csv', maxRows: 1_000 }),
    howTo: 'query-a-csv-with-sql',
  },
  {
    name: 'video-still',
    operation: 'media.thumbnail',
    title: 'A still of a video',
    lead: 'One frame that is neither dark nor blurred.',
    file: { accept: 'video/*', sample: 'clip.mp4', hint: 'A short clip' },
    fields: [
      { name: 'width', label: 'Width', value: '640', choices: ['320', '640', '1280'].map(px => [px, `${px} px`]) },
    ],
    options: ({ width }) => ({ at: 'auto', width: Number(width), format: 'png' }),
    howTo: 'cut-a-clip-out-of-a-video',
  },
  {
    name: 'qr-code',
    operation: 'codes.qr',
    title: 'A QR code',
    lead: 'It is read back before you get it.',
    fields: [{ name: 'text', label: 'Text or address', value: 'https://example.com', maxLength: 500 }],
    options: ({ text }) => ({ text, size: 480 }),
    howTo: 'make-and-read-a-qr-code',
  },
]
