import { answerFile, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Cut a clip out of a video, with a picture for it',
  lead: 'Keep the part between two times and take one good frame as its picture.',
  keywords: 'trim, cut, ffmpeg, clip, thumbnail, poster, video',
  steps: [
    {
      call: 'media.trim',
      note: 'Keep half a second.',
      input: { file: 'sample:clip.mp4', start: 0.2, end: 0.7, inlineOutput: 'never' },
      as: 'clip',
    },
    {
      call: 'media.thumbnail',
      note: 'A frame that is neither dark nor blurred.',
      input: { file: answerFile('clip'), at: 'auto', width: 320, format: 'png' },
      saves: 'poster.png',
    },
  ],
  pitfalls: [
    '`precise` cuts at the exact time and encodes again. `mode: "copy"` is without loss and much faster, but begins at the key frame before, which can be seconds earlier.',
    'The price follows the length and the size of the result, not of the input: cut before you convert.',
    'A time beyond the end is `BAD_TIME_RANGE`; percentages such as "25%" need no knowledge of the length.',
    'Longer videos go to a ticket. Upload files above 4 MiB first; the clients do it by themselves.',
  ],
})
