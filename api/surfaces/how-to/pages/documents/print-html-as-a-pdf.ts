import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Print HTML as a PDF',
  lead: 'Chromium prints your HTML with its styles, with page numbers, an outline and tags for screen readers.',
  keywords: 'html to pdf, print, report, template, puppeteer, gotenberg, wkhtmltopdf',
  steps: [
    {
      call: 'pdf.from-html',
      input: {
        html: '<title>Report</title><h1>Harbour report</h1><p>Wind from the north-west, force 4.</p>',
        page: { format: 'A4', margin: '20mm' },
        footer: '<p style="width: 100%; text-align: center; font-size: 9px"><span class="pageNumber"></span></p>',
      },
      saves: 'report.pdf',
    },
  ],
  pitfalls: [
    'Header and footer have their own styles: without a `font-size` they are too small to see.',
    'Images and fonts that the HTML names by a file name go into `assets`. Files of the machine and private addresses are never read.',
    'A resource that does not load is a warning in the answer. `failOn` makes it a failure, which costs nothing.',
    'Page breaks are CSS: `break-before: page` and `break-inside: avoid`.',
  ],
})
