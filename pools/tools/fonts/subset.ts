import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { OpenFont } from './files.ts'

type WasmFunction = (...args: number[]) => number

interface SubsetterModule {
  memory: WebAssembly.Memory
  call: Record<string, WasmFunction>
}

let loaded: SubsetterModule | undefined

/** HarfBuzz's subsetter is a WebAssembly module of its own, for which harfbuzzjs has no wrapper. */
function loadSubsetter(): SubsetterModule {
  if (loaded) return loaded
  const file = fileURLToPath(import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'))
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)))
  const call = exports as unknown as Record<string, WasmFunction>
  call._initialize?.()
  loaded = { memory: exports.memory as WebAssembly.Memory, call }
  return loaded
}

const NO_HINTING = 1
const RETAIN_GIDS = 2
const WRITABLE = 2
const GLYPHS_ONLY_TABLES = 3
const DROPPED_TABLES = ['GSUB', 'GPOS', 'GDEF', 'BASE', 'name', 'DSIG', 'STAT', 'kern', 'vhea', 'vmtx', 'VORG']

/** Reduces a font to these glyphs, which keep their numbers. */
export function subsetFont({ file, index }: OpenFont, glyphs: Iterable<number>): Uint8Array {
  const { memory, call } = loadSubsetter()
  const bytes = readFileSync(file)
  const pointer = call.malloc!(bytes.length)
  new Uint8Array(memory.buffer).set(bytes, pointer)
  const blob = call.hb_blob_create!(pointer, bytes.length, WRITABLE, 0, 0)
  const face = call.hb_face_create!(blob, index)
  const input = call.hb_subset_input_create_or_fail!()
  const keptGlyphs = call.hb_subset_input_glyph_set!(input)
  for (const glyph of [0, ...glyphs]) call.hb_set_add!(keptGlyphs, glyph)
  const droppedTables = call.hb_subset_input_set!(input, GLYPHS_ONLY_TABLES)
  for (const table of DROPPED_TABLES) call.hb_set_add!(droppedTables, tableTag(table))
  call.hb_subset_input_set_flags!(input, NO_HINTING | RETAIN_GIDS)
  const subset = call.hb_subset_or_fail!(face, input)
  const result = subset === 0 ? undefined : readFaceBytes(subset, memory, call)
  call.hb_face_destroy!(face)
  call.hb_blob_destroy!(blob)
  call.hb_subset_input_destroy!(input)
  call.free!(pointer)
  if (!result) throw new Error(`HarfBuzz cannot subset ${file}`)
  return result
}

function readFaceBytes(face: number, memory: WebAssembly.Memory, call: Record<string, WasmFunction>): Uint8Array {
  const blob = call.hb_face_reference_blob!(face)
  const start = call.hb_blob_get_data!(blob, 0)
  const bytes = new Uint8Array(memory.buffer).slice(start, start + call.hb_blob_get_length!(blob))
  call.hb_blob_destroy!(blob)
  call.hb_face_destroy!(face)
  return bytes
}

function tableTag(name: string): number {
  return Buffer.from(name, 'latin1').readUInt32BE()
}
