import { Type } from 'typebox'
import { type Price, usd } from '#kit'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { BatchReply, MatchBody, ScreeningReply } from '../schema.ts'
import { type MatchRequest, quoteScreening, screen } from '../screen.ts'

const PRICE: Price<MatchRequest> = {
  unit: 'subject and family of lists',
  ...{ rateMicros: usd('0.005'), baseMicros: 0n, basis: 'body', minUnits: 0, leastMicros: 1_000n },
  units: ({ subjects, lists }) => (subjects ? Object.keys(subjects).length : 1) * lists.length,
  note: 'Where only some of the lists are loaded, only their share is charged.',
}

export default route({
  at: 'POST /v1/screening/match',
  summary: 'Screen a name, or up to 100, against sanctions lists and PEP lists.',
  keywords:
    'screen a company name, screen a supplier, sanctions screening, sanctions check, pep check, aml, kyc, ofac sdn, un sanctions, eu sanctions, watchlist, blocklist, adverse party, is this person sanctioned, is this customer on a sanctions list, fuzzy name match',
  description:
    'Names match across scripts, spellings, orders, typing errors and initials. `coverage` says which lists were searched, in which version, and which were not; `clear` is said only where nothing is missing. A name alone is never more than `review`. An answer is kept for GET /v1/screening/matches/{id}.',
  auth: BILLABLE_AUTH,
  connectorScope: 'mcp:write',
  body: MatchBody,
  reply: { status: 200, schema: Type.Union([ScreeningReply, BatchReply]) },
  price: PRICE,
  settles: true,
  errors: [
    ...([
      'INVALID_PARAM',
      'MISSING_FIELD',
      'CONFLICTING_OPTIONS',
      'NAME_EMPTY',
      'DOB_INVALID',
      'LIST_UNKNOWN',
    ] as const),
    ...([
      'SOURCE_UNKNOWN',
      'SCREENING_VERSION_UNKNOWN',
      'SCREENING_LISTS_NOT_LOADED',
      'TIME_LIMIT_EXCEEDED',
      'BUSY',
    ] as const),
  ],
  examples: [
    {
      title: 'A person, tried on the sample where no list is loaded',
      input: { name: 'Quexington, Zorblat', type: 'person', dob: '1961-04-17', allowSample: true },
    },
    {
      title: 'Two subjects by keys of yours',
      input: {
        subjects: { a: { name: 'Nowhere Trading Ltd' }, b: { name: '김가상' } },
        lists: ['sanctions'],
        allowSample: true,
      },
    },
  ],
  quote: ({ caller, body }, context) => quoteScreening(context, body, caller?.accountId),
  handle: ({ body, job }, context) => screen(context, body, job!),
})
