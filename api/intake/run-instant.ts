import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  amountOf,
  isFileProducing,
  mapOutputs,
  newId,
  type Outcome,
  type OutputFile,
  outputName,
  runHere,
  type StoredOutput,
} from '#kit'
import type { Call } from '../../sql/call.ts'
import type { StoredObject } from '../../sql/job.ts'
import { recordOutputs } from '../../sql/object.ts'
import type { Floor } from '../floor.ts'
import { readyInput } from './ready-input.ts'
import { replyRefusal, replyResult } from './reply.ts'
import type { Submission } from './submit.ts'

const SLOW_MS = 20

/** Runs first, then records, charges and answers: nothing is charged undelivered, nothing delivered uncharged. */
export async function runInstant(
  floor: Floor,
  submission: Submission,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operation, caller, hold, idempotency } = submission
  const ready = readyInput(operation.input, submission.staged.input)
  const begun = performance.now()
  const outcome = await runHere(operation, ready)
  noteSlowness(floor, operation.name, performance.now() - begun)
  const units = outcome.units ?? hold.units
  const amountMicros = amountOf(operation.price, units, hold.rateMicros)
  const { funding } = submission
  const id = funding?.jobId ?? newId()
  const result = await resultOf(floor, submission, outcome, id)
  const call: Call = {
    id,
    accountId: caller.accountId,
    keyHash: caller.keyHash,
    serviceKey: operation.name,
    lane: 'instant',
    amountMicros,
    idempotency,
    payload: JSON.stringify(result),
  }
  const refusal = await (funding ? funding.book('instant', call) : floor.jobs.instant(call))
  if (refusal) return replyRefusal(floor, submission, refusal, amountMicros, request, reply)
  return replyResult(floor, submission, { id, chargedMicros: amountMicros, result }, request, reply)
}

function noteSlowness(floor: Floor, operation: string, ms: number): void {
  if (ms <= SLOW_MS) return
  floor.meters.slowInstant(operation)
  floor.log.warn(
    { operation, ms: Math.round(ms) },
    'an instant run was slow; the setting instant.off moves it to the queue',
  )
}

/** The result with its files put into the store; each gets its record before anybody can be told its key. */
async function resultOf(
  floor: Floor,
  { operation, caller, options }: Submission,
  outcome: Outcome<unknown>,
  jobId: string,
): Promise<unknown> {
  const { result, warnings } = outcome
  const stored = isFileProducing(operation.output) ? await storeFiles() : result
  return warnings && warnings.length > 0 ? { ...(stored as object), warnings } : stored

  async function storeFiles(): Promise<unknown> {
    const objects: StoredObject[] = []
    const hours = floor.settings.get('cputools.scratch_hours')
    const mapped = await mapOutputs(operation.output, result, async value => {
      const { bytes, contentType, name, ...facts } = value as OutputFile
      const key = `scratch/${caller.accountId}/${randomUUID()}`
      const given = outputName(options.filename, name)
      const { sizeBytes } = await floor.store.put(key, bytes!, { contentType })
      objects.push({ key, size: sizeBytes, type: contentType, name: given, hours })
      return { ...facts, key, sizeBytes, contentType, name: given } satisfies StoredOutput
    })
    if (objects.length > 0) await recordOutputs(floor.db, caller.accountId, jobId, objects)
    return mapped
  }
}
