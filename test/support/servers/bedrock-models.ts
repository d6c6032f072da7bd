import type { ServerResponse } from 'node:http'
import { crc32 } from 'node:zlib'
import type { FakeCall, PiecesReply, TextReply } from './model-replies.ts'

/** The model stands in the address. */
export function readConverse(path: string, sent: string): object {
  const model = decodeURIComponent(/\/model\/([^/]+)\/converse(-stream)?$/.exec(path)![1]!)
  return { model, ...JSON.parse(sent) }
}

const REASONS = { stop: 'end_turn', length: 'max_tokens', refused: 'guardrail_intervened' }

export function describeConverse({
  text,
  input = 100,
  output = 20,
  end = 'stop',
  cached = 0,
  calls,
}: TextReply): object {
  const answered: FakeCall[] = isJson(text) ? [{ id: 'tooluse_1', name: 'answer', arguments: text }] : []
  const used = [...answered, ...(calls ?? [])].map(({ id, name, arguments: written }) => ({
    toolUse: { toolUseId: id, name, input: JSON.parse(written) as unknown },
  }))
  const message = answered.length > 0 ? 'I answer now.' : text
  return {
    output: { message: { role: 'assistant', content: [{ text: message }, ...used] } },
    stopReason: REASONS[end],
    metrics: { latencyMs: 10 },
    usage: { ...countTokens(input - cached, output), cacheReadInputTokens: cached, cacheWriteInputTokens: 0 },
  }
}

function countTokens(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export function sendFrames(response: ServerResponse, reply: PiecesReply): void {
  const { pieces, isWhole = true, isHanging = false, input = 100, output = 20, calls = [], end } = reply
  const write = (name: string, payload: object) => response.write(buildFrame(name, payload))
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
  write('messageStart', { role: 'assistant', p: 'abcd' })
  for (const text of pieces) write('contentBlockDelta', { contentBlockIndex: 0, delta: { text }, p: 'ab' })
  calls.forEach((call, at) => {
    for (const [name, payload] of describeCall(call, at + 1)) write(name, payload)
  })
  if (isHanging) return
  if (!isWhole) {
    response.write(buildFrame('contentBlockDelta', { delta: { text: 'lost' } }).subarray(0, 40))
    return void setTimeout(() => response.destroy(), 20)
  }
  write('contentBlockStop', { contentBlockIndex: 0 })
  write('messageStop', { stopReason: end ? REASONS[end] : calls.length > 0 ? 'tool_use' : 'end_turn' })
  const last = buildFrame('metadata', { usage: countTokens(input, output), metrics: { latencyMs: 10 } })
  // Frames come as the network cuts them.
  response.write(last.subarray(0, 7))
  setTimeout(() => response.end(last.subarray(7)), 5)
}

/** The arguments come in two parts. */
function describeCall({ id, name, arguments: written }: FakeCall, index: number): [string, object][] {
  const half = Math.ceil(written.length / 2)
  const part = (input: string): [string, object] => [
    'contentBlockDelta',
    { contentBlockIndex: index, delta: { toolUse: { input } } },
  ]
  return [
    ['contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId: id, name } } }],
    ...[written.slice(0, half), written.slice(half)].map(part),
  ]
}

/** A frame of an event, or of an exception with a status of its own. */
export function buildFrame(name: string, payload: object, kind: 'event' | 'exception' = 'event'): Buffer {
  const headers = Buffer.concat(
    Object.entries({
      [`:${kind}-type`]: name,
      ...{ ':content-type': 'application/json', ':message-type': kind },
    }).map(([field, value]) => {
      const length = Buffer.alloc(3)
      length.writeUInt8(7)
      length.writeUInt16BE(value.length, 1)
      return Buffer.concat([Buffer.from([field.length]), Buffer.from(field), length, Buffer.from(value)])
    }),
  )
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + headers.length + body.length)
  prelude.writeUInt32BE(headers.length, 4)
  const head = Buffer.concat([prelude, checksum(prelude), headers, body])
  return Buffer.concat([head, checksum(head)])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
