import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Take the tables out of a PDF',
  lead: 'Rows and columns as data, or as CSV, Excel, HTML or Markdown, with the place on the page of each table.',
  keywords: 'extract tables, camelot, tabula, pdf to csv, pdf to excel, price list',
  steps: [{ call: 'doc.extract-tables', input: { file: 'sample:price-list.pdf', numbers: 'parse' } }],
  pitfalls: [
    'One call reads one page, the first by default. Give `page` for another, and make one call for each.',
    'Tables with lines are read by their lines. Without lines the gaps between columns decide, which fails where a column is nearly empty: try `mode: "stream"`.',
    'Numbers stay as they are printed; with `numbers: "parse"` a text such as (1.234,50 €) becomes -1234.5.',
    'A page without tables is an empty list, and is charged, because it was read.',
  ],
})
