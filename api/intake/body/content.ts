import type { ApiContext } from '../../context.ts'
import type { PricedCall } from '../call.ts'
import { requireMeans } from '../fund.ts'
import { describeNoFields } from './receive.ts'

/** Takes the body of a call whose price follows from its headers, and gives back what that took once the call is over. */
export async function withContent<Result>(
  context: ApiContext,
  call: PricedCall,
  perform: (call: PricedCall) => Promise<Result>,
): Promise<Result> {
  const { billable, request, address } = call
  const caller = await requireMeans(context, call)
  const { value: content, digest, release } = await billable.receive!({ caller, request, address }, context)
  try {
    return await perform({ ...call, ...describeNoFields(request, address, digest), content })
  } finally {
    await release()
  }
}
