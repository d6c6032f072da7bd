import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Remove the location from a photo',
  lead: 'Phones write where a photo was taken, with which camera and when. This removes it and leaves the pixels byte for byte as they were.',
  keywords: 'exif, gps, metadata, privacy, strip, location',
  steps: [{ call: 'image.exif-strip', input: { file: 'sample:gradient.png' }, saves: 'clean.png' }],
  pitfalls: [
    'The orientation is kept, because photos would lie on their side without it, and so is the colour profile.',
    'Thumbnails and other images inside the file can show what was cropped away; they are removed too.',
    'To remove only the location set `only: "gps"`. Everything else stays then.',
    'What is visible in the picture, such as a street sign, is still there.',
  ],
})
