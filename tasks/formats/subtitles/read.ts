import { type Cue, parseBlocks } from './cue.ts'
import { parseTtml } from './ttml.ts'

/** Subtitles that bring their own look, or plain ones. */
export type Subtitles = { ass: string } | { cues: Cue[] }

export function readSubtitles(text: string): Subtitles {
  const content = text.replace(/^\uFEFF/, '')
  if (/^\s*\[(?:Script Info|V4\+? Styles|Events)\]/im.test(content)) return { ass: content }
  if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:\w+:)?tt[\s>]/.test(content))
    return { cues: parseTtml(content) }
  return { cues: parseBlocks(content) }
}
