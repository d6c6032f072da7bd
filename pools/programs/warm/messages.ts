/** What the starter is told of one program. It mirrors `run_program` in `starter.pl`. */
export interface StartRequest {
  /** The name of the job's folder. */
  folder: string
  uid: number
  limits: { memoryMb: number; cpuSeconds: number; fileBytes: number; processes: number }
  stdoutLimit: number
  stderrLimit: number
  stdin: Uint8Array | undefined
  readOnly: readonly string[]
  env: Readonly<Record<string, string>>
  /** The program and its arguments. */
  command: readonly string[]
}

export interface StartReply {
  /** 128 + n for a program that signal n killed, as a shell tells it. */
  code: number | null
  stdout: Buffer
  stderr: Buffer
  /** Why the sandbox ended without an answer. */
  failure?: string
}

const LENGTH_BYTES = 4

export function encodeRequest(request: StartRequest): Buffer {
  const { memoryMb, cpuSeconds, fileBytes, processes } = request.limits
  const limits = [memoryMb * 2 ** 20, Math.ceil(cpuSeconds), fileBytes, processes]
  const fields = [
    ...[request.folder, request.uid, limits.join(' '), request.stdoutLimit, request.stderrLimit].map(String),
    request.stdin ?? '',
    joinFields(request.readOnly),
    joinFields(Object.entries(request.env).flat()),
    ...request.command,
  ]
  return joinFields([joinFields(fields)])
}

function joinFields(fields: readonly (string | Uint8Array)[]): Buffer {
  const parts = fields.flatMap(field => {
    const bytes = typeof field === 'string' ? Buffer.from(field) : field
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  })
  return Buffer.concat(parts)
}

function splitFields(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at)
    fields.push(bytes.subarray(at + LENGTH_BYTES, end))
    at = end
  }
  return fields
}

export function decodeReply(message: Buffer): StartReply {
  const [code, stdout, stderr] = splitFields(message)
  return { code: Number(code), stdout: stdout!, stderr: stderr! }
}

/** Collects a stream's bytes into messages, each of which follows its length. */
export class MessageReader {
  #chunks: Buffer[] = []
  #sizeBytes = 0

  /** Returns the message that the chunk completes; the starter sends one at a time. */
  add(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk)
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes < LENGTH_BYTES) return undefined
    if (this.#chunks[0]!.length < LENGTH_BYTES) this.#chunks = [Buffer.concat(this.#chunks)]
    if (this.#sizeBytes < LENGTH_BYTES + this.#chunks[0]!.readUInt32BE(0)) return undefined
    const message = Buffer.concat(this.#chunks).subarray(LENGTH_BYTES)
    this.#chunks = []
    this.#sizeBytes = 0
    return message
  }
}
