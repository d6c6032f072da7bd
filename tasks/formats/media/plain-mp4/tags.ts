import { Boxes, expect, part, readName, readText } from './boxes.ts'

const NAMES: Record<string, string> = {
  '\xa9too': 'encoder',
  '\xa9nam': 'title',
  '\xa9ART': 'artist',
  '\xa9alb': 'album',
  '\xa9day': 'date',
  '\xa9cmt': 'comment',
  '\xa9gen': 'genre',
}
const TEXT = 1

/** Reads the tags that are plain text. */
export function readTags(userData: DataView | undefined): Record<string, string> {
  const meta = userData && new Boxes(userData, ['meta']).find('meta')
  if (!meta) return {}
  const boxes = new Boxes(part(meta, 4), ['hdlr', 'ilst', 'free'])
  expect(readText(boxes.get('hdlr'), 8, 4) === 'mdir')
  const list = new Boxes(boxes.get('ilst'), Object.keys(NAMES))
  return Object.fromEntries(
    Object.entries(NAMES).flatMap(([code, name]) => {
      const item = list.find(code)
      return item ? [[name, readItem(item)]] : []
    }),
  )
}

function readItem(item: DataView): string {
  const data = new Boxes(item, ['data']).get('data')
  expect(data.getUint32(0) === TEXT && data.getUint32(4) === 0)
  return readName(data, 8)
}

/** Seconds from the year 1904 to 1970, from which on they are counted elsewhere. */
const EPOCH_SECONDS = 2_082_844_800

/** When the movie or the track was made, if its header says so. */
export function readCreation(header: DataView): Record<string, string> {
  const seconds = header.getUint32(4)
  if (seconds === 0) return {}
  expect(seconds >= EPOCH_SECONDS)
  const time = new Date((seconds - EPOCH_SECONDS) * 1000).toISOString()
  return { creation_time: time.replace('.000Z', '.000000Z') }
}
