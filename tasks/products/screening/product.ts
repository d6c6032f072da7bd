import { Type } from 'typebox'
import { Choice, event, listSetting, numberSetting, product, transitions } from '#kit'
import { STATUSES } from './outcome.ts'
import { DEFAULT_LISTS, SOURCES } from './sources.ts'

const screening = product({
  title: 'Screening',
  summary: 'Names against sanctions and PEP lists.',
  dashboard: { path: '/dashboard/screening', position: 47 },
  states: transitions('svc.screening_monitor', { active: ['ended'], ended: [] }, {}),
  events: {
    'screening.changed': event({
      of: 'account',
      summary: 'A new version of a list has changed what a monitored subject matches.',
      payload: {
        monitorId: Type.String({ format: 'uuid' }),
        referenceId: Type.Union([Type.String(), Type.Null()]),
        name: Type.String(),
        status: Choice(STATUSES),
        formerStatus: Choice(STATUSES),
        added: Type.Array(Type.String(), { description: 'Entries that match now, such as `un_sc:6908555`.' }),
        changed: Type.Array(Type.String(), { description: 'Those that match in another wording.' }),
        removed: Type.Array(Type.String(), { description: 'Those that match no more.' }),
      },
      example: {
        ...{
          monitorId: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
          referenceId: 'customer-7',
          name: 'Zorblatt Quexington',
        },
        ...{ status: 'review', formerStatus: 'clear', added: ['un_sc:6908555'], changed: [], removed: [] },
      },
    }),
  },
  problems: {
    TOO_MANY_MONITORS: [409, 'The account has as many monitors as it can have; end one first.'],
    TOO_MANY_LISTS: [409, 'The account has as many lists of its own as it can have; replace or delete one.'],
    LIST_IN_USE: [409, 'Active monitors search the list; end them first.'],
    LIST_BUSY: [409, 'Another upload of the same list has begun; repeat the call when that has ended.'],
    SCREENING_LISTS_NOT_LOADED: [
      503,
      'None of the lists that were asked for is loaded here; name others in sources, or send allowSample to try it with invented entries.',
    ],
    SCREENING_VERSION_UNKNOWN: [
      422,
      'There is no such version of a list, or it is no longer kept; GET /v1/screening/lists shows those that are.',
    ],
    NAME_EMPTY: [422, 'The name has no letters that can be compared.'],
    DOB_INVALID: [422, 'The date of birth must be a past date: YYYY, YYYY-MM or YYYY-MM-DD.'],
    LIST_UNKNOWN: [422, 'There is no such family of lists.'],
    SOURCE_UNKNOWN: [422, 'There is no such list.'],
  },
  prices: { 'screening.match': { rate: 'screening.family_micros', least: 'screening.least_micros' } },
  settings: {
    'screening.lists': listSetting(
      [...DEFAULT_LISTS],
      'The public lists that are refreshed and searched.',
      SOURCES.map(({ key }) => key),
    ),
    'screening.refresh_hours': numberSetting(6, 1, 168, 'Hours from one refresh of a list to the next.'),
    'screening.expire_days': numberSetting(
      14,
      1,
      365,
      'A list that could not be checked for so many days counts as not loaded.',
    ),
    'screening.family_micros': numberSetting(
      5_000,
      0,
      500_000,
      'What one subject costs in each family of lists, in micros.',
    ),
    'screening.least_micros': numberSetting(1_000, 1_000, 1_000_000, 'The least that a screening costs, in micros.'),
    'screening.max_monitors': numberSetting(10_000, 1, 10_000_000, 'How many active monitors one account may have.'),
    'screening.max_own_lists': numberSetting(10, 0, 1_000, 'How many lists of its own one account may upload.'),
    'screening.shrink_percent': numberSetting(
      20,
      0,
      100,
      'A new version of a list that has lost more entries, in percent, is refused.',
    ),
    'screening.kept_versions': numberSetting(10, 1, 100, 'How many versions of each list are kept.'),
    'screening.kept_days': numberSetting(30, 1, 3_650, 'How long a screening can be read by its account, in days.'),
  },
  retention: [
    { of: 'screenings', after: 'screening.kept_days', removedBy: 'step screening.forget' },
    {
      of: 'monitors, dismissed matches and uploaded lists',
      after: 'the account is erased',
      removedBy: 'screening.erase_account',
    },
  ],
  erase: 'screening.erase_account',
  exported: 'screening.export_account',
})

export default screening

declare module '../../kit/product.ts' {
  interface Products {
    screening: typeof screening
  }
}
