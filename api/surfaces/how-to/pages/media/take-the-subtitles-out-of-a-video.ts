import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Take the subtitles out of a video',
  lead: 'Subtitles as a file of SubRip, WebVTT or text, to translate or to search.',
  keywords: 'subtitles, captions, srt, vtt, extract, transcript, mkv',
  steps: [
    { call: 'media.subtitle-extract', input: { file: 'sample:captioned.mkv', to: 'srt' }, saves: 'subtitles.srt' },
  ],
  pitfalls: [
    'A video without subtitles is answered with `NO_SUBTITLE_STREAM`. What is said can be written down by `media.transcribe`, where the operator has a model.',
    'Subtitles of DVD and Blu-ray are pictures: they are refused with `SUBTITLE_IS_BITMAP` unless `ocr` is set, which has a price of its own.',
    'Of several tracks the first is taken; `media.probe` lists them with their languages.',
    'Subtitles that are burnt into the picture are part of the picture, and are not found.',
  ],
})
