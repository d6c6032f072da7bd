import type { Body } from './vary-examples.ts'

/** Bodies that no example shows although they cost something else. */
export const MORE_SEEDS: Record<string, Body[]> = {
  'pdf.form': [{ file: 'sample:order-form.pdf', action: 'fill', records: [{ name: 'Ada' }, { name: 'Bob' }] }],
  'pdf.attachments': [
    {
      file: 'sample:two-pages.pdf',
      action: 'add',
      attachments: [{ file: { text: 'hello' }, name: 'a.txt' }],
    },
  ],
  // Of sound, where the examples have a video.
  'media.loudnorm': [{ file: 'sample:tone.wav' }, { file: 'sample:clip.mp4' }],
  'media.silence': [
    { file: 'sample:tone.wav', action: 'remove' },
    { file: 'sample:clip.mp4', action: 'remove' },
  ],
  'media.speed': [{ file: 'sample:tone.wav', factor: 2 }],
  'media.trim': [{ file: 'sample:tone.wav', end: 0.3 }],
  'media.convert': [{ file: 'sample:tone.wav', to: 'mp3' }],
  'media.probe': [{ file: 'sample:tone.wav', deep: true }],
  'pdf.bookmarks': [{ file: 'sample:bookmarked.pdf', action: 'clear' }],
  'pdf.metadata': [{ file: 'sample:two-pages.pdf', action: 'strip' }],
  'pdf.from-html': [{ html: '<p>one</p>', maxPages: 30 }, { html: '<p style="break-after: page">page</p>'.repeat(12) }],
}
