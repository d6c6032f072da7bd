import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { OpenFont } from './font-files.ts'

type Call = (...args: number[]) => number

interface Subsetter {
  memory: WebAssembly.Memory
  call: Record<string, Call>
}

let ready: Subsetter | undefined

/** HarfBuzz's subsetter is a wasm of its own beside the shaper, without a wrapper. */
function subsetter(): Subsetter {
  if (ready) return ready
  const file = fileURLToPath(import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'))
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)))
  const call = exports as unknown as Record<string, Call>
  call._initialize?.()
  ready = { memory: exports.memory as WebAssembly.Memory, call }
  return ready
}

const NO_HINTING = 1
const RETAIN_GIDS = 2
const WRITABLE = 2
const GLYPHS_ONLY_TABLES = 3
const KEPT_OUT = ['GSUB', 'GPOS', 'GDEF', 'BASE', 'name', 'DSIG', 'STAT', 'kern', 'vhea', 'vmtx', 'VORG']

/** The font with only these glyphs, each under the number it had. */
export function subsetOf({ file, index }: OpenFont, glyphs: Iterable<number>): Uint8Array {
  const { memory, call } = subsetter()
  const bytes = readFileSync(file)
  const place = call.malloc!(bytes.length)
  new Uint8Array(memory.buffer).set(bytes, place)
  const blob = call.hb_blob_create!(place, bytes.length, WRITABLE, 0, 0)
  const face = call.hb_face_create!(blob, index)
  const input = call.hb_subset_input_create_or_fail!()
  const wanted = call.hb_subset_input_glyph_set!(input)
  for (const glyph of [0, ...glyphs]) call.hb_set_add!(wanted, glyph)
  const dropped = call.hb_subset_input_set!(input, GLYPHS_ONLY_TABLES)
  for (const table of KEPT_OUT) call.hb_set_add!(dropped, tag(table))
  call.hb_subset_input_set_flags!(input, NO_HINTING | RETAIN_GIDS)
  const made = call.hb_subset_or_fail!(face, input)
  const result = made === 0 ? undefined : bytesOf(made, memory, call)
  for (const [free, pointer] of [
    ['hb_face_destroy', face],
    ['hb_blob_destroy', blob],
  ] as const)
    call[free]!(pointer)
  call.hb_subset_input_destroy!(input)
  call.free!(place)
  if (!result) throw new Error(`no subset of ${file}`)
  return result
}

function bytesOf(face: number, memory: WebAssembly.Memory, call: Record<string, Call>): Uint8Array {
  const blob = call.hb_face_reference_blob!(face)
  const start = call.hb_blob_get_data!(blob, 0)
  const bytes = new Uint8Array(memory.buffer).slice(start, start + call.hb_blob_get_length!(blob))
  call.hb_blob_destroy!(blob)
  call.hb_face_destroy!(face)
  return bytes
}

function tag(name: string): number {
  return Buffer.from(name, 'latin1').readUInt32BE()
}
