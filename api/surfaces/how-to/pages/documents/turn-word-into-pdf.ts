import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Turn a Word document into a PDF',
  lead: 'LibreOffice prints Word, Excel, PowerPoint and OpenDocument files. It runs confined: no macro runs and nothing linked is fetched.',
  keywords: 'docx to pdf, office, excel, powerpoint, convert, libreoffice, print',
  steps: [{ call: 'pdf.from-office', input: { file: 'sample:log-book.docx' }, saves: 'log-book.pdf' }],
  pitfalls: [
    'Fonts that are not installed are replaced by ones of the same width where there are some. `fonts` in the answer names each, so look there if lines break elsewhere.',
    'Tracked changes are printed as accepted; `trackedChanges: "markup"` shows them.',
    'A workbook is printed sheet by sheet and wide sheets are split over pages; `fit` and `landscape` prevent that.',
    'The type is found from the content. A file with the wrong extension is still read.',
  ],
})
