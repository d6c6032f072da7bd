import { closeSync, openSync, writeFileSync, writev } from 'node:fs'
import { promisify } from 'node:util'
import type { Bytes, PutOptions, StoredObject } from './contract.ts'
import { createMeter } from './meter.ts'

const WRITE_BYTES = 512 * 1024
/** A smaller file is written or copied faster than the thread pool could start. */
export const SYNC_MAX_BYTES = 256 * 1024

/** Writes a new file that nobody may change. */
export async function writeDraft(path: string, body: Bytes, options: PutOptions): Promise<StoredObject> {
  const meter = createMeter(options)
  if (body instanceof Uint8Array) {
    meter.add(body)
    if (body.length <= SYNC_MAX_BYTES) writeFileSync(path, body, { flag: 'wx', mode: 0o444 })
    else await withDraft(path, file => writeAll(file, [body]))
  } else {
    await withDraft(path, file => writeChunks(file, body, meter, options))
  }
  return meter.summarise()
}

async function withDraft(path: string, write: (file: number) => Promise<void>): Promise<void> {
  const file = openSync(path, 'wx', 0o444)
  try {
    await write(file)
  } finally {
    closeSync(file)
  }
}

async function writeChunks(
  file: number,
  body: AsyncIterable<Uint8Array>,
  meter: ReturnType<typeof createMeter>,
  { takesChunks }: PutOptions,
): Promise<void> {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  const flush = async () => {
    await writeAll(file, pending)
    if (takesChunks) for (const chunk of pending) giveBack(chunk)
    pending = []
    pendingBytes = 0
  }
  for await (const chunk of body) {
    meter.add(chunk)
    pending.push(chunk)
    pendingBytes += chunk.length
    if (pendingBytes >= WRITE_BYTES) await flush()
  }
  await flush()
}

/**
 * Frees the memory of bytes that are no longer needed. Left to V8, each 64 MiB of them make it collect its whole heap, which
 * took a third of the time of an api that receives images.
 */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

const writeBuffers = promisify(writev)

/** `writev` may write only a part, for example when the disk is full. */
async function writeAll(file: number, chunks: Uint8Array[]): Promise<void> {
  for (let left = chunks.filter(({ length }) => length > 0); left.length > 0; ) {
    const { bytesWritten } = await writeBuffers(file, left)
    left = skipBytes(left, bytesWritten)
  }
}

function skipBytes(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let skipped = 0
  return chunks.flatMap(chunk => {
    const from = Math.min(chunk.length, count - skipped)
    skipped += from
    return from === chunk.length ? [] : [from === 0 ? chunk : chunk.subarray(from)]
  })
}
