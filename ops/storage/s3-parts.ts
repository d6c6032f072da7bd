import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { Bytes } from './index.ts'

/** The least that S3 takes for a part that is not the last. */
const PART_BYTES = 5 * 2 ** 20

interface Upload {
  sdk: typeof import('@aws-sdk/client-s3')
  client: S3Client
  target: Pick<PutObjectCommandInput, 'Bucket' | 'Key' | 'ContentType'>
  condition: { IfNoneMatch?: string }
}

/** Cuts bytes of unknown length into parts; `take` sees every chunk first and may refuse it. */
export async function* inParts(body: Bytes, take: (chunk: Uint8Array) => void): AsyncGenerator<Uint8Array, undefined> {
  const chunks = body instanceof Uint8Array ? [body] : body
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  for await (const chunk of chunks) {
    take(chunk)
    waiting.push(chunk)
    waitingBytes += chunk.length
    if (waitingBytes < PART_BYTES) continue
    yield waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting, waitingBytes)
    waiting = []
    waitingBytes = 0
  }
  if (waitingBytes > 0) yield Buffer.concat(waiting, waitingBytes)
  return undefined
}

/** One part after the other: three parts at most are in memory. What failed is given up, so that no part stays behind. */
export async function putParts(
  upload: Upload,
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { sdk, client, target, condition } = upload
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(target))
  const at = { Bucket: target.Bucket, Key: target.Key, UploadId }
  const done: { PartNumber: number; ETag: string | undefined }[] = []
  const send = async (Body: Uint8Array) => {
    const PartNumber = done.length + 1
    const { ETag } = await client.send(new sdk.UploadPartCommand({ ...at, PartNumber, Body }))
    done.push({ PartNumber, ETag })
  }
  try {
    await send(first)
    await send(second)
    for await (const part of rest) await send(part)
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...at, ...condition, MultipartUpload: { Parts: done } }))
  } catch (error) {
    await client.send(new sdk.AbortMultipartUploadCommand(at))
    throw error
  }
}
