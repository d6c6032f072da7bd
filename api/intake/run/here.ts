import { PassThrough } from 'node:stream'
import { type Outcome, Problem, type RunContext } from '#kit'
import type { NamedOperation } from '../../../tasks/index.ts'
import type { ApiContext } from '../../context.ts'
import type { FundedCall, PricedCall } from '../call.ts'
import { makeInputReady } from '../files/stage-files.ts'
import type { CallLedger } from '../fund.ts'
import type { Answer } from '../reply/answer.ts'
import { asksForPieces, beginPieces, streamingOf, writeReceipt } from '../reply/pieces.ts'
import { toProblem } from '../reply/problem.ts'
import type { AnswerSink } from '../reply/sink.ts'
import { runHeld } from './held.ts'

const LIMIT_SECONDS = 120
/** After its deadline a job is given up, so its end must be written before. */
const MARGIN_SECONDS = 10

/** Whether all tools that a call needs are in this process: those that only wait for others. */
export function runsHere({ localTools }: ApiContext, call: PricedCall): boolean {
  const { billable, isAsync, isDryRun, staged, delivery } = call
  if (isAsync || isDryRun || delivery || !staged.isInMemory) return false
  return billable.uses.every(tool => tool in localTools)
}

/**
 * Runs an operation in this process, with its price held. Its answer may be sent piece by piece; a caller who goes away
 * ends it, and pays for what has come. Any other caller who waits no longer gets a ticket. See decision 0246.
 */
export async function runHere(
  context: ApiContext,
  call: FundedCall,
  { book, readFunding }: CallLedger,
  operation: NamedOperation,
  reply: AnswerSink,
): Promise<Answer> {
  const stop = new AbortController()
  const booked = () => ({ ...call, funding: readFunding() })
  const pieces = asksForPieces(call, reply) ? openPieces(booked, reply, stop) : undefined
  const seconds = (operation.limitSeconds ?? LIMIT_SECONDS) + MARGIN_SECONDS
  const work = () => perform(context, call, operation, { stop: stop.signal, emit: pieces?.emit })
  const running = runHeld(context, call, book, work, { seconds })
  if (!pieces) return giveTicketAfter(call, running)
  try {
    const answer = await running
    // A repeat names the job that it repeats, so it is sent as a whole answer.
    if (answer.kind === 'result' && !answer.isReplay) pieces.end(answer)
    return pieces.isOpen() ? { kind: 'streamed' } : answer
  } catch (error) {
    if (!pieces.isOpen()) throw error
    pieces.fail(toProblem(error))
    return { kind: 'streamed' }
  }
}

async function perform(
  { localTools }: ApiContext,
  { id: jobId, billable, staged }: FundedCall,
  operation: NamedOperation,
  { stop, emit }: { stop: AbortSignal; emit: RunContext['emit'] },
): Promise<Outcome<unknown>> {
  const limitMs = (operation.limitSeconds ?? LIMIT_SECONDS) * 1_000
  const signal = AbortSignal.any([stop, AbortSignal.timeout(limitMs)])
  const limits = { signal, deadlineMs: performance.now() + limitMs }
  const tools = Object.fromEntries(billable.uses.map(tool => [tool, localTools[tool]!(limits)]))
  const runContext = {
    ...tools,
    jobId,
    signal,
    emit,
    out: refuseFile,
    progress: () => undefined,
    now: () => new Date(),
  }
  try {
    const outcome = await operation.run(makeInputReady(operation.input, staged.input), runContext as never)
    const { result, warnings = [] } = outcome
    const whole = warnings.length > 0 ? { ...(result as object), warnings } : result
    return { ...outcome, result: whole }
  } catch (error) {
    if (!signal.aborted || error instanceof Problem) throw error
    throw stop.aborted
      ? new Problem('PROVIDER_UNAVAILABLE', { reason: 'the caller went away' })
      : new Problem('TIME_LIMIT_EXCEEDED', { limitMs })
  }
}

function refuseFile(name: string): never {
  throw new Error(`an operation that runs in the api has no folder for ${name}`)
}

/** The work goes on, and its result is found under the ticket. */
async function giveTicketAfter({ id, hold, waitSeconds }: FundedCall, running: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Answer>(resolve => {
    timer = setTimeout(() => resolve({ kind: 'ticket', id, ceilingMicros: hold.ceilingMicros }), waitSeconds * 1_000)
  })
  running.catch(() => undefined)
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}

/** `readCall` tells the call with how it is paid for by then. */
function openPieces(readCall: () => FundedCall, reply: AnswerSink, stop: AbortController) {
  const call = readCall()
  const writer = streamingOf(call)!.open({ jobId: call.id, body: call.body })
  let stream: PassThrough | undefined
  let isOver = false
  reply.raw.once('close', () => {
    if (!isOver) stop.abort()
  })
  const write = (text: string): void => {
    stream ??= beginPieces(readCall(), reply, new PassThrough())
    stream.write(text)
  }
  const close = (): void => {
    isOver = true
    stream?.end()
  }
  return {
    emit: (piece: unknown) => write(writer.writePiece(piece)),
    isOpen: () => stream !== undefined,
    end({ result, chargedMicros }: Extract<Answer, { kind: 'result' }>) {
      write(writer.writeEnd(result) + writeReceipt(readCall(), chargedMicros))
      close()
    },
    fail(problem: Problem) {
      write(writer.writeError(problem.toBody()))
      close()
    },
  }
}
