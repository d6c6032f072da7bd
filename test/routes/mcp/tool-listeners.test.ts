import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { EventStream } from '../../../api/mcp/live/event-stream.ts'
import { ToolListeners } from '../../../api/mcp/live/tool-listeners.ts'

function openClient(client: string) {
  const sent: object[] = []
  let signs = 0
  const stream = { send: (message: object) => void sent.push(message), keepAlive: () => void signs++ } as EventStream
  const response = new EventEmitter()
  return { sent, response, listening: { stream, client, response }, countSigns: () => signs }
}

test('each stream begins at once, is told of each change, and ends with its client or the process', async () => {
  const listeners = new ToolListeners()
  const [leaving, staying] = [openClient('one'), openClient('two')]
  const [left, stopped] = [
    listeners.listen(leaving.listening),
    listeners.listen({ ...staying.listening, meta: { id: 7 } }),
  ]
  expect([leaving.countSigns(), staying.countSigns()]).toEqual([1, 1])
  listeners.announce()
  leaving.response.emit('close')
  expect(await left).toBe(false)
  listeners.announce()
  listeners.endAll()
  expect(await stopped).toBe(true)
  listeners.announce()
  const changed = { method: 'notifications/tools/list_changed' }
  expect(leaving.sent).toEqual([changed])
  expect(staying.sent).toEqual(Array.from({ length: 2 }, () => ({ ...changed, params: { _meta: { id: 7 } } })))
})

test('a client has so many streams, and gets another when one has ended', async () => {
  const listeners = new ToolListeners()
  const streams = Array.from({ length: 20 }, () => openClient('one'))
  const waits = streams.map(({ listening }) => listeners.listen(listening))
  await expect(listeners.listen(openClient('one').listening)).rejects.toMatchObject({ code: 'TOO_MANY_WAITS' })
  const other = listeners.listen(openClient('two').listening)
  streams[0]!.response.emit('close')
  await waits[0]
  const again = listeners.listen(openClient('one').listening)
  listeners.endAll()
  expect(await Promise.all([...waits.slice(1), other, again])).toEqual(Array.from({ length: 21 }, () => true))
})
