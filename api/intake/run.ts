import type { FastifyReply } from 'fastify'
import { isInstantCall } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { ApiContext } from '../context.ts'
import type { FundedCall, PricedCall } from './call.ts'
import type { Answer } from './reply/answer.ts'
import { toProblem } from './reply/problem.ts'
import { runInstant } from './run-instant.ts'
import { runQueued } from './run-queued.ts'
import { runRoute } from './run-route.ts'
import { withFieldHints } from './validation/known-fields.ts'
import { setFailureHeaders } from './x402/payment-headers.ts'

/** The response to a failed call also tells where its payment went: money that arrived is credit of the wallet. */
export async function runCall(context: ApiContext, call: FundedCall, reply: FastifyReply): Promise<Answer> {
  try {
    return await chooseRun(context, call, reply)
  } catch (error) {
    if (call.funding) {
      await call.funding.keepCredit()
      setFailureHeaders(reply, call.funding, toProblem(error).code)
    }
    throw withFieldHints(call.billable.input, error)
  }
}

/** Calls of little work run at once, priced routes run here after the hold, everything else is queued. */
function chooseRun(context: ApiContext, call: FundedCall, reply: FastifyReply): Promise<Answer> {
  const { execution } = call.billable
  if (execution.kind === 'route') return runRoute(context, call, execution, reply)
  const { operation } = execution
  return isInstant(call, operation) ? runInstant(context, call, operation) : runQueued(context, call)
}

function isInstant({ instantBytes, isAsync, isDryRun, inputBytes, staged }: PricedCall, operation: NamedOperation) {
  if (isAsync || isDryRun || inputBytes > instantBytes || !staged.isInMemory) return false
  return isInstantCall(operation, staged.input, inputBytes)
}
