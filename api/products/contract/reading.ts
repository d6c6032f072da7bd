import { Problem } from '#kit'
import type { ContractView, PartyView } from '../../../sql/contract/contracts.ts'
import type { DisputeView } from '../../../sql/contract/disputes.ts'
import type { Reader } from '../../../sql/contract/reader.ts'
import { buildTypedData } from '../../../tasks/products/contract/index.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'
import { NOTICE, PARTY, parseContractId } from './schema.ts'

interface Asked {
  caller: Pick<Caller, 'accountId'> | undefined
  params: { contract: string }
  request: Pick<IncomingCall, 'ip'>
}

/** Who asks: an account with the id of a contract, or anybody with the link of a party. */
export function findReader(context: ApiContext, { caller, params: { contract }, request }: Asked): Reader {
  if (PARTY.hasForm(contract)) {
    const tokenHash = PARTY.hash(context.config.secret, contract)
    const perMinute = context.settings.get('rate.contract_calls_per_minute')
    const limits = { perAddress: perMinute, token: tokenHash, perToken: perMinute }
    requireTokenRate(context, { kind: 'contract', ip: request.ip, ...limits })
    return { tokenHash, accountId: caller?.accountId }
  }
  if (!caller) throw new Problem('MISSING_AUTH')
  return { accountId: caller.accountId, contractId: parseContractId(contract) }
}

/** A contract with what its pending parties sign, for whoever reads it by its id or by the link of a party. */
export function describeContract(
  { publicUrl }: Pick<ApiContext['config'], 'publicUrl'>,
  view: ContractView,
  contract = view.id,
): object {
  const now = Date.now()
  const parties = view.parties.map(party =>
    view.status === 'pending' && party.status === 'pending'
      ? { ...party, signPayload: buildPayload(view, party, now) }
      : party,
  )
  return { ...view, parties, proofUrl: `${publicUrl}/v1/contracts/${contract}/bundle`, notice: NOTICE }
}

export function describeDispute(view: DisputeView): object {
  return { ...view, notice: NOTICE }
}

function buildPayload(view: ContractView, party: PartyView, now: number): object {
  return party.method === 'wallet'
    ? buildTypedData({ ...view, party }, Math.floor(now / 1_000))
    : { partyKey: party.key, termsHash: view.termsHash, accept: true }
}
