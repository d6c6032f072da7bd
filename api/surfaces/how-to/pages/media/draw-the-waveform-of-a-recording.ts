import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Draw the waveform of a recording',
  lead: 'A picture for a page, or the peaks as JSON for a player that draws them itself.',
  keywords: 'waveform, audio, peaks, podcast, player, visualization',
  steps: [
    {
      call: 'media.waveform',
      input: { file: 'sample:tone.wav', width: 640, height: 120, color: '#0f5f57' },
      saves: 'waveform.png',
    },
  ],
  pitfalls: [
    'Quiet recordings give a flat line; `normalize` or `scale` makes them visible.',
    'The background is transparent unless you name one.',
    'For a player ask for `format: "json"` with `samplesPerPixel`; it is the format of audiowaveform, which peaks.js reads.',
    'A video without sound is answered with `NO_AUDIO_STREAM`.',
  ],
})
