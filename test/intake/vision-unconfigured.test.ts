import { expect, test } from 'vitest'
import { newId, Problem } from '#kit'
import { describeTool } from '../../pools/tool-reports.ts'
import { joinWorkers } from '../../sql/worker.ts'
import { openPaidApi } from '../support/chain/in-process-paid-api.ts'

const OPERATIONS = ['detect-labels', 'detect-faces', 'compare-faces', 'detect-celebrities', 'detect-ppe', 'moderate']
const TOOLS = [
  'visionLabels',
  'visionFaces',
  'visionFaceMatch',
  'visionCelebrities',
  'visionProtection',
  'visionModeration',
] as const

test('without an engine each call is refused before a wallet is asked to pay, and with one it is priced', async () => {
  await using api = await openPaidApi()
  const { availability, db } = api.context
  const error = new Problem('PROVIDER_NOT_CONFIGURED', { install: 'set SOMETHING' })
  const lacking = TOOLS.map(tool => describeTool(tool, { kind: 'absent', error }))
  const worker = { id: newId(), host: 'here', pid: 1, pools: [], lanes: { remote: 1 } }
  await joinWorkers(db, { ...worker, tools: lacking })
  await availability.refresh()
  const source = { inline: Buffer.from('an image').toString('base64') }
  const call = (operation: string) => {
    const payload = operation === 'compare-faces' ? { source, target: source } : { file: source }
    return api.app.inject({ method: 'POST', url: `/v1/vision/${operation}`, payload })
  }
  for (const operation of OPERATIONS) {
    const reply = await call(operation)
    expect([operation, reply.statusCode]).toEqual([operation, 503])
    expect(reply.json()).toMatchObject({
      ...{ code: 'PROVIDER_NOT_CONFIGURED', capability: `vision.${operation}`, install: 'set SOMETHING' },
      adapters: expect.arrayContaining(['rekognition']),
    })
    expect(reply.headers['payment-required']).toBeUndefined()
  }
  const servedBy = { provider: 'onnx', model: 'mine' }
  const works = describeTool('visionLabels', { kind: 'works', version: '1', servedBy })
  await joinWorkers(db, { ...worker, tools: [works, ...lacking.slice(1)] })
  await availability.refresh()
  expect((await call('detect-labels')).statusCode).not.toBe(503)
  const { operations } = (await api.app.inject({ url: '/v1/capabilities' })).json()
  expect(operations['vision.detect-labels']).toEqual({ available: true, ...servedBy })
  expect(operations['vision.moderate']).toMatchObject({ available: false, missing: [{ install: 'set SOMETHING' }] })
})
