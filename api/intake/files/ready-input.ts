import type { TSchema } from 'typebox'
import { type Facts, FILE_RULE, findMarkedValues, INPUT_FILE, type InputFile, replaceAt, type StagedFile } from '#kit'
import { keptBytes } from './bytes-in-memory.ts'

/**
 * The input as operations and prices read it, with an `InputFile` in place of every staged file. Its bytes can
 * be read if they are in memory; `facts` are taken on trust, because nothing here probes files. There is never a path, because nothing in this process works on files.
 */
export function makeInputReady(schema: TSchema, input: unknown, facts: Facts = {}): unknown {
  return findMarkedValues(FILE_RULE, schema, input).reduce(
    (ready, { path, value }) => replaceAt(ready, path, new FileInMemory(value as StagedFile, facts)),
    input,
  )
}

class FileInMemory implements InputFile {
  readonly [INPUT_FILE] = true
  readonly type: string
  readonly sizeBytes: number
  readonly name: string | undefined
  readonly facts: Facts
  readonly #file: StagedFile

  constructor(file: StagedFile, facts: Facts) {
    this.facts = facts
    this.#file = file
    this.type = file.type
    this.sizeBytes = file.sizeBytes
    this.name = file.name
  }

  get path(): string {
    throw new Error('there is no path on the instant lane: the operation must read bytes() or chunks()')
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const held = keptBytes(this.#file) ?? (this.#file.inline === undefined ? undefined : fromBase64(this.#file.inline))
    if (!held) throw new Error('these bytes are in the object store, not in memory')
    return held as Buffer<ArrayBuffer>
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    yield await this.bytes()
  }
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}
