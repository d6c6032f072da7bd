import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Make a PDF small enough to send',
  lead: 'Images are reduced to what the reader can see and the structure is packed tighter. Text, forms, links and bookmarks stay.',
  keywords: 'compress, reduce size, shrink, optimize, email attachment limit',
  steps: [{ call: 'pdf.compress', input: { file: 'sample:scan.pdf', level: 'recommended' }, saves: 'small.pdf' }],
  pitfalls: [
    'The result is never larger than the input. If nothing helps, the input comes back with `unchanged: true` and one page is charged; otherwise at least three are.',
    'Most of a large PDF is images. A file of text alone can hardly become smaller.',
    '`targetBytes` lowers the quality step by step until the file fits. Where it cannot fit, the smallest comes back, so look at `targetMet`.',
    'Black-and-white scans stay black and white; level `extreme` is 96 dpi, which shows when printed.',
  ],
})
