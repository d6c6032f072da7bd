import { isInstantCall, listDrawnSources } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { ApiContext } from '../context.ts'
import type { RouteJob } from '../route.ts'
import { type Book, bookCall } from './book.ts'
import type { FundedCall, PricedCall } from './call.ts'
import type { Answer } from './reply/answer.ts'
import { toProblem } from './reply/problem.ts'
import type { AnswerSink } from './reply/sink.ts'
import { runHeld } from './run/held.ts'
import { runHere, runsHere } from './run/here.ts'
import { runDrawn, runInstant } from './run-instant.ts'
import { runQueued } from './run-queued.ts'
import { withFieldHints } from './validation/known-fields.ts'
import { type Funding, keepCredit } from './x402/funding.ts'
import { setFailureHeaders } from './x402/payment-headers.ts'

interface Ran {
  readonly answer: Answer
  /** How the call is paid for now. */
  readonly funding: Funding
}

/** The response to a failed call also tells where its payment went: money that arrived is credit of the wallet. */
export async function runCall(context: ApiContext, call: FundedCall, reply: AnswerSink): Promise<Ran> {
  let { funding } = call
  const book: Book = async (kind, entry) => {
    const booked = await bookCall(context, call, kind, entry)
    funding = booked.funding
    if (booked.failure) throw booked.failure.error
    return booked.refusal
  }
  try {
    const answer = await chooseRun(context, call, book, reply)
    return { answer, funding }
  } catch (error) {
    if (funding.kind === 'payment') setFailureHeaders(reply, await keepCredit(context, funding), toProblem(error).code)
    throw withFieldHints(call.billable.input, error)
  }
}

/** Calls of little work run at once, priced routes run here after the hold, everything else is queued. Workers deliver. */
function chooseRun(context: ApiContext, call: FundedCall, book: Book, reply: AnswerSink): Promise<Answer> {
  const { execution } = call.billable
  if (execution.kind === 'route') {
    const { address, caller, request, staged, content } = call
    const asked = { address, caller, body: staged.input, request, reply, content }
    const work = (job: RouteJob) => execution.run({ ...asked, job }, context)
    return runHeld(context, call, book, work, { settles: execution.settles })
  }
  const { operation } = execution
  if (runsHere(context, call, operation)) return runHere(context, call, book, operation, reply)
  if (!isInstant(call, operation)) return runQueued(context, call, book)
  const sources = listDrawnSources(operation.input, call.staged.input)
  return sources.length > 0
    ? runDrawn(context, call, book, operation, sources)
    : runInstant(context, call, book, operation)
}

function isInstant(call: PricedCall, operation: NamedOperation): boolean {
  const { instantBytes, isAsync, isDryRun, inputBytes, staged, delivery } = call
  if (isAsync || isDryRun || delivery || inputBytes > instantBytes || !staged.isInMemory) return false
  return isInstantCall(operation, staged.input, inputBytes)
}
