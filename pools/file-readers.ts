import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { TSchema } from 'typebox'
import { type Facts, type FileSettings, type InputFile, mapFiles, markInputFile } from '#kit'

/** A file as it travels between processes and threads. */
export interface PlainFile {
  path: string
  type: string
  sizeBytes: number
  name: string | undefined
  facts: Facts
  options?: FileSettings
}

/** Gives every plain file of an input, found by the schema's file rules, the methods that read it. */
export function addFileReaders(schema: TSchema, input: unknown): Promise<unknown> {
  return mapFiles(schema, input, file => toInputFile(file as PlainFile))
}

function toInputFile(file: PlainFile): InputFile {
  const bytes = async () => new Uint8Array(await readFile(file.path))
  return markInputFile({ ...file, bytes, chunks: () => createReadStream(file.path) })
}

/** Without the methods, which no other process or thread can be given. */
export function toPlain({ path, type, sizeBytes, name, facts, options }: PlainFile): PlainFile {
  return markInputFile({ path, type, sizeBytes, name, facts, ...(options && { options }) })
}
