import { flagSetting, numberSetting, product } from '#kit'

// Decision 0561: pay trials of visitors from a test account of the house.

const trial = product({
  title: 'Trials',
  summary: 'Operations that visitors of the website try on a file of their own, without an account.',
  problems: {
    TRIAL_OFF: [404, 'Trials are switched off here. With a free test key every call can be tried.'],
    TRIAL_LIMIT_REACHED: [429, 'Your network has used up its trials of today. They begin anew at midnight UTC.'],
    TRIAL_BUDGET_USED: [503, 'All trials of today are used up. They begin anew at midnight UTC.'],
    TRIAL_TOO_EXPENSIVE: [422, 'This file costs more than a trial may. With a key it can be of any size.'],
  },
  settings: {
    'trial.enabled': flagSetting(true, 'Whether visitors of the website can try operations without an account.'),
    'trial.daily_micros': numberSetting(
      1_000_000,
      1_000,
      1_000_000_000,
      'Micros that all trials of a day (UTC) may cost.',
    ),
    'trial.call_micros': numberSetting(50_000, 1_000, 1_000_000, 'Micros that one trial may cost.'),
    'trial.max_bytes': numberSetting(8 * 2 ** 20, 1_024, 50 * 2 ** 20, 'The largest file of a trial.'),
    'trial.per_network': numberSetting(20, 1, 100_000, 'Trials a day of one network: an IPv4 /24 or an IPv6 /48.'),
    'trial.at_once': numberSetting(2, 1, 64, 'Trials that one api process runs at once.'),
  },
  retention: [{ of: 'counts of trials by network', after: '2 days', removedBy: 'chore trial.forget' }],
})

export default trial

declare module '../../kit/product.ts' {
  interface Products {
    trial: typeof trial
  }
}
