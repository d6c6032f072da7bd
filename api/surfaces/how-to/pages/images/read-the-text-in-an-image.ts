import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Read the text in an image',
  lead: 'Text of photos, screenshots and scans, as plain text or with a box for each word. Images that lie on their side are turned first.',
  keywords: 'ocr, tesseract, screenshot, image to text, read text, recognize',
  steps: [{ call: 'image.ocr', input: { file: 'sample:sign.png', detail: 'words', preset: 'single-line' } }],
  pitfalls: [
    'An image without text is an empty text and no error.',
    'Letters should be some 20 pixels high; enlarge small screenshots first with `image.resize` and `enlarge`.',
    'The language decides which letters exist. A wrong one gives plausible nonsense.',
    'Boxes are in pixels of the image as it is displayed, after its orientation was applied.',
  ],
})
