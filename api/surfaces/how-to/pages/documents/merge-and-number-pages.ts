import { answerFile, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Merge PDFs and number the pages',
  lead: 'Put several files into one, in your order, and stamp a number at the foot of each page. The second call takes the file of the first, so nothing is downloaded in between.',
  keywords: 'merge, combine, join, page numbers, bates, concatenate',
  steps: [
    {
      call: 'pdf.merge',
      note: 'The files become one, with a bookmark for each.',
      input: { files: ['sample:letter.pdf', 'sample:leaflet.pdf'], bookmarks: 'per-file', inlineOutput: 'never' },
      as: 'merged',
    },
    {
      call: 'pdf.watermark',
      note: 'A number at the foot of each page.',
      input: {
        file: answerFile('merged'),
        text: '{page} / {pages}',
        position: 'south',
        rotation: 0,
        fontSize: 10,
        opacity: 1,
        color: 'black',
      },
      saves: 'numbered.pdf',
    },
  ],
  pitfalls: [
    'Without `fontSize` a text is half as wide as the page, and without `opacity: 1` it is faint.',
    'Title and author of the result come from the first file. Forms, links, layers and attachments of all files are kept.',
    'A protected file fails with `PDF_PASSWORD_REQUIRED`; `passwords` has one entry for each file, null for those without.',
    'Stamped pages count, not files: a book of 300 pages costs 300 times the price of a page. `dryRun: true` tells the price first.',
  ],
})
