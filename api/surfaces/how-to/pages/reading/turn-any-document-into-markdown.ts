import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Turn any document into Markdown for a model',
  lead: 'One call for PDF, Word, e-books, slides, workbooks and web pages. The result is what language models read best, with headings and tables kept.',
  keywords: 'markdown, llm, rag, docx, pdf to text, epub, pptx, extract text',
  steps: [{ call: 'doc.to-markdown', input: { file: 'sample:log-book.docx' } }],
  pitfalls: [
    'Pages without text, such as scans, are listed in `needsOcr`. Make them readable with `pdf.ocr-searchable` and call again.',
    'Pictures, charts and text boxes of Word, PowerPoint and Excel are left out.',
    'Two columns are read one after the other where the layout is clear; check a page before you process a thousand.',
    'A protected file needs its `password`.',
  ],
})
