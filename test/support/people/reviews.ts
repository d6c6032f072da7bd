import type { Db } from '../../../sql/db.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { eventually } from '../machine/eventually.ts'
import type { InProcessApi } from '../stack/in-process-api.ts'
import type { Stack } from '../stack/start.ts'

const SETTING = 'idverify.manual_review_enabled'

/** Lets people review identities, which a fresh installation does not. */
export async function allowReviews({ context: { db, settings } }: InProcessApi, isAllowed: boolean | null = true) {
  await writeSetting(db, SETTING, isAllowed)
  await settings.refresh()
}

/** The same where the api is another process, which hears of it a moment later. */
export async function allowReviewsOf({ db, anonymous }: Pick<Stack, 'anonymous'> & { db: Db }) {
  await writeSetting(db, SETTING, true)
  const isKnown = async () => (await anonymous.get('/v1/capabilities')).body.identity.available
  await eventually('reviews of identities to be allowed', isKnown)
}
