import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Problem } from '#kit'
import { drain } from './drain.ts'

const FIELD_BYTES = 2 ** 20
/** Of all text fields together: what a JSON body may have. */
const TEXT_BYTES = 12 * 2 ** 20
const LIMITS = { files: 100, fields: 200, parts: 300, fieldSize: FIELD_BYTES, headerPairs: 50, headerSize: 16 * 1024 }

interface FormReceiver {
  isFile(name: string, filename: string | undefined): boolean
  field(name: string, value: string): void
  /** Consumes the stream; a rejection refuses the whole form. */
  file(name: string, stream: Readable, filename: string | undefined): Promise<void>
}

/** Reads a multipart form part by part. When it rejects, none of its files is still being read. */
export async function readForm(request: IncomingMessage, taker: FormReceiver): Promise<void> {
  const busboy = busboyFor(request, taker)
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>()
  const open = new Set<Readable>()
  const pending: Promise<void>[] = []
  let textBytes = 0
  const fail = (error: unknown): void => {
    request.unpipe(busboy)
    drain(request)
    for (const file of open) file.destroy(error as Error)
    reject(error)
  }
  const attempt = (step: () => void): void => {
    try {
      step()
    } catch (error) {
      fail(error)
    }
  }
  busboy.on('field', (name, value, _nameCut, valueCut) =>
    attempt(() => {
      if (valueCut) throw new Problem('BODY_TOO_LARGE', { ceiling: FIELD_BYTES, field: name })
      textBytes += name.length + value.length
      if (textBytes > TEXT_BYTES) throw new Problem('BODY_TOO_LARGE', { ceiling: TEXT_BYTES })
      taker.field(name, value)
    }),
  )
  busboy.on('file', (name, file, filename: string | undefined) => {
    open.add(file)
    file.on('error', () => undefined)
    const taken = taker.file(name, file, filename).finally(() => open.delete(file))
    taken.catch(fail)
    pending.push(taken)
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    busboy.on(limit, () => fail(new Problem('INVALID_MULTIPART', { reason: 'It has too many parts.' })))
  }
  busboy.on('finish', resolve)
  busboy.on('error', () => fail(new Problem('INVALID_MULTIPART')))
  request.once('close', () => {
    if (!request.complete) fail(new Problem('BODY_INCOMPLETE'))
  })
  if (request.destroyed) fail(new Problem('BODY_INCOMPLETE'))
  else request.pipe(busboy)
  try {
    await parsed
    await Promise.all(pending)
  } catch (error) {
    await Promise.allSettled(pending)
    throw error
  }
}

function busboyFor(request: IncomingMessage, taker: FormReceiver): BusboyInstance {
  try {
    return Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      isPartAFile: (name, _type, filename) => taker.isFile(name ?? '', filename),
      limits: LIMITS,
    })
  } catch {
    drain(request)
    throw new Problem('INVALID_MULTIPART', { reason: 'Its boundary is missing.' })
  }
}
