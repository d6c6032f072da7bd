import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { Bytes } from './contract.ts'
import { JOIN_MS, timeToSend } from './s3-time-limits.ts'

/** The smallest part that S3 accepts, except for the last one. */
const PART_BYTES = 5 * 2 ** 20

interface Upload {
  sdk: typeof import('@aws-sdk/client-s3')
  client: S3Client
  uploader: S3Client
  target: Pick<PutObjectCommandInput, 'Bucket' | 'Key' | 'ContentType'>
  condition: { IfNoneMatch?: string }
}

/** Splits bytes of unknown length into parts; `onChunk` sees every chunk first and may throw. */
export async function* splitIntoParts(
  body: Bytes,
  onChunk: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array, undefined> {
  const chunks = body instanceof Uint8Array ? [body] : body
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  for await (const chunk of chunks) {
    onChunk(chunk)
    pending.push(chunk)
    pendingBytes += chunk.length
    if (pendingBytes < PART_BYTES) continue
    yield pending.length === 1 ? pending[0]! : Buffer.concat(pending, pendingBytes)
    pending = []
    pendingBytes = 0
  }
  if (pendingBytes > 0) yield Buffer.concat(pending, pendingBytes)
  return undefined
}

/** Uploads one part at a time, so at most three are in memory. A failed upload is aborted, so that no part remains. */
export async function putParts(
  upload: Upload,
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { sdk, client, uploader, target, condition } = upload
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(target))
  const at = { Bucket: target.Bucket, Key: target.Key, UploadId }
  const done: { PartNumber: number; ETag: string | undefined }[] = []
  const send = async (Body: Uint8Array) => {
    const PartNumber = done.length + 1
    const { ETag } = await uploader.send(new sdk.UploadPartCommand({ ...at, PartNumber, Body }), timeToSend(Body))
    done.push({ PartNumber, ETag })
  }
  try {
    await send(first)
    await send(second)
    for await (const part of rest) await send(part)
    const command = new sdk.CompleteMultipartUploadCommand({ ...at, ...condition, MultipartUpload: { Parts: done } })
    await client.send(command, { requestTimeout: JOIN_MS })
  } catch (error) {
    // What went wrong first is what the caller has to know.
    await uploader.send(new sdk.AbortMultipartUploadCommand(at)).catch(() => undefined)
    throw error
  }
}
