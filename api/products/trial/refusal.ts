import { Problem } from '#kit'

/** What a customer would be told of a key and a balance, in the words of a visitor. */
export function explainToVisitor(problem: Problem): Problem {
  const { code, hints } = problem
  if (code === 'SPEND_LIMIT_REACHED') {
    return new Problem((hints as { limit?: string }).limit === 'call' ? 'TRIAL_TOO_EXPENSIVE' : 'TRIAL_BUDGET_USED')
  }
  return code === 'PAYMENT_REQUIRED' || code === 'INSUFFICIENT_BALANCE' ? new Problem('TRIAL_BUDGET_USED') : problem
}
