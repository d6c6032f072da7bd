import { listDueDisputes, recordRuling } from '../../../../sql/contract/index.ts'
import { OUTCOMES, signRuling, writeOperatorRuling } from '../../../../tasks/products/contract/index.ts'
import { formatTable } from '../../../cli/print.ts'
import { type CliContext, type Runs, UsageError } from '../../../cli/verb.ts'
import { openSigningKey } from '../../witness/index.ts'

const LIMIT = 1_000

export const runs: Runs = {
  async list({ db }) {
    const due = await listDueDisputes(db, LIMIT)
    const lines = due.map(({ dispute: { disputeId, claimant, claim, evidence }, title }) => {
      return [disputeId, title, claimant, String(evidence.length), claim.slice(0, 80)]
    })
    return { data: due, text: formatTable(['dispute', 'contract', 'claimant', 'evidence', 'claim'], lines) }
  },
  rule: (context, [id, outcome, summary], { relief }) => rule(context, { id, outcome, summary, relief }),
}

type Given = Record<'id' | 'outcome' | 'summary' | 'relief', string | undefined>

async function rule({ db, config }: CliContext, { id, outcome, summary, relief = '' }: Given) {
  const known = OUTCOMES.find(name => name === outcome)
  if (!known) throw new UsageError(`The outcome must be one of ${OUTCOMES.join(', ')}, not "${outcome}".`)
  const due = (await listDueDisputes(db, LIMIT)).find(({ dispute }) => dispute.disputeId === id)
  if (!due) throw new UsageError(`No dispute ${id} waits for a ruling.`)
  const { dispute } = due
  const ruling = writeOperatorRuling(due, { outcome: known, summary: summary!, reliefSuggested: relief }, new Date())
  const jws = signRuling(ruling, await openSigningKey(db, config.secret))
  const uuid = dispute.disputeId.slice('dsp_'.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const ruled = await recordRuling(db, uuid, { ruling, jws, actor: 'operator' })
  return { data: ruled, text: `${dispute.disputeId} is ruled: ${known}` }
}
