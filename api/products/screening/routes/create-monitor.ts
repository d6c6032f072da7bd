import type { Static } from 'typebox'
import { type Price, usd } from '#kit'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { checkWatch, MonitorReply, WatchBody, watch } from '../watch.ts'

const PRICE: Price<Static<typeof WatchBody>> = {
  unit: 'month of one subject',
  ...{ rateMicros: usd('0.002'), baseMicros: 0n, basis: 'body', minUnits: 1, maxUnits: 12 },
  units: ({ months }) => months,
}

export default route({
  at: 'POST /v1/screening/monitors',
  summary: 'Watch a subject: screen it again whenever a list changes.',
  keywords:
    'ongoing monitoring, watchlist monitoring, sanctions monitoring, watch a customer, alert when someone is sanctioned, continuous screening',
  description:
    'The subject is screened at once, and against each new version of a list; the webhook event `screening.changed` says what matches now and what no more. A dismissed match does not count until its entry changes.',
  auth: BILLABLE_AUTH,
  connectorScope: 'mcp:write',
  body: WatchBody,
  reply: { status: 201, schema: MonitorReply },
  price: PRICE,
  settles: true,
  errors: [
    ...([
      'INVALID_PARAM',
      'CONFLICTING_OPTIONS',
      'NAME_EMPTY',
      'DOB_INVALID',
      'LIST_UNKNOWN',
      'SOURCE_UNKNOWN',
    ] as const),
    ...(['SCREENING_LISTS_NOT_LOADED', 'TOO_MANY_MONITORS', 'TIME_LIMIT_EXCEEDED', 'BUSY'] as const),
  ],
  examples: [
    {
      title: 'For a year, tried on the sample where no list is loaded',
      input: {
        name: 'Zorblatt Quexington',
        dob: '1961-04-17',
        referenceId: 'customer-7',
        months: 12,
        allowSample: true,
      },
    },
  ],
  async countUnits({ caller, body }, context) {
    await checkWatch(context, body, caller?.accountId)
    return body.months
  },
  handle: ({ body, job }, context) => watch(context, body, job!),
})
