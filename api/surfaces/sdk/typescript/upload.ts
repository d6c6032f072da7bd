import { CoinopError, readRetryAfter } from './errors.ts'
import type { OpenedFile } from './files.ts'
import { type Transfers, transfer } from './transfer.ts'
import type { CallOptions } from './types.ts'

interface UploadForm {
  url: string
  fields: Record<string, string>
  inputKey: string
  maxBytes: number
}

interface Sending extends Transfers {
  options: CallOptions
  ask(path: string, body: object): Promise<unknown>
}

/** Asks for a form and sends the file with it. A form is of use once, so another try asks for another one. */
export function uploadFile(file: OpenedFile, sending: Sending): Promise<string> {
  return transfer(() => tryUpload(file, sending), sending)
}

async function tryUpload({ content, name }: OpenedFile, { fetch: request, options, ask }: Sending): Promise<string> {
  const ext = /\.([A-Za-z0-9]{1,12})$/.exec(name ?? '')?.[1]
  const form = (await ask('/v1/cputools/upload-url', ext === undefined ? {} : { ext })) as UploadForm
  if (content.size > form.maxBytes) {
    const hints = { sizeBytes: content.size, maxBytes: form.maxBytes }
    throw new CoinopError(`The file has more than ${form.maxBytes} bytes.`, { code: 'INPUT_TOO_LARGE', hints })
  }
  const body = new FormData()
  for (const [field, value] of Object.entries(form.fields)) body.append(field, value)
  body.append('file', withProgress(content, options))
  const response = await request(form.url, { method: 'POST', body, signal: options.signal })
  if (response.ok) return form.inputKey
  const { status, headers } = response
  const text = (await response.text()).slice(0, 300)
  const retryAfterSeconds = readRetryAfter(headers)
  const facts = { code: 'UPLOAD_FAILED', status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
  throw new CoinopError(`The file cannot be uploaded: ${status} ${text}`, facts)
}

/** The same file, which tells how much of it has been read. */
function withProgress(content: Blob, { onProgress }: CallOptions): File {
  const total = content.size
  if (!onProgress) return new File([content], 'file')
  const count = () => {
    let done = 0
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        done += chunk.length
        onProgress({ phase: 'upload', done, total, unit: 'byte' })
        controller.enqueue(chunk)
      },
    })
  }
  const file = new File([content], 'file')
  // Of the runtimes, Node reads a file of a form by its stream; elsewhere only the end of an upload is known.
  Object.defineProperty(file, 'stream', { value: () => content.stream().pipeThrough(count()) })
  return file
}
