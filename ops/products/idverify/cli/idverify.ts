import { addReviewLink, decideVerification, listWaitingReviews } from '../../../../sql/idverify/index.ts'
import { openSettings } from '../../../../sql/setting.ts'
import { REASON_CODES } from '../../../../tasks/products/idverify/index.ts'
import { formatTable, parseCount, parseId } from '../../../cli/print.ts'
import { type Runs, UsageError } from '../../../cli/verb.ts'
import { REVIEW } from '../review-link.ts'

const HOURS = 8
/** Whoever has the link sees documents of people, so it ends. */
const MAX_HOURS = 720

export const runs: Runs = {
  async queue({ db }, _args, { limit }) {
    const waiting = await listWaitingReviews(db, parseCount('--limit', limit, 20))
    const lines = waiting.map(({ id, type, since, reasonCodes }) => [id, type, since, reasonCodes.join(' ')])
    return { data: waiting, text: formatTable(['id', 'type', 'since', 'reasons'], lines) }
  },
  async link({ db, config }, [reviewer], { hours }) {
    if (!reviewer) throw new UsageError('Name the reviewer; the log says who has decided.')
    const token = REVIEW.mint()
    const lasting = parseCount('--hours', hours, HOURS, MAX_HOURS)
    const endsAt = await addReviewLink(db, REVIEW.hash(config.secret, token), reviewer, lasting)
    const url = `${config.publicUrl}/review/identity/${token}`
    const isSold = (await openSettings(db)).get('idverify.manual_review_enabled')
    const hint = isSold
      ? ''
      : '\nNothing is sold for reviewers yet: cli setting set idverify.manual_review_enabled true'
    const text = `${url}\nIt works until ${endsAt.toISOString()}; whoever has it can decide.${hint}`
    return { data: { url, endsAt }, text }
  },
  async decide({ db }, [id, decision], { reasons, note, by }) {
    if (decision !== 'approved' && decision !== 'declined')
      throw new UsageError('The decision is approved or declined.')
    const given = reasons === undefined ? [] : reasons.split(',').map(code => code.trim())
    const unknown = given.find(code => !REASON_CODES.some(known => known === code))
    if (unknown !== undefined)
      throw new UsageError(`There is no reason ${unknown}; known are ${REASON_CODES.join(', ')}.`)
    const reasonCodes = decision === 'declined' && given.length === 0 ? ['REVIEWER_DECLINED'] : given
    const decided = { decision, reasonCodes, note, reviewer: by ?? 'the command line' } as const
    return { data: await decideVerification(db, parseId('a verification', id), decided), text: decision }
  },
}
