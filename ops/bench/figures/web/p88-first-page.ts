import type { Figure } from '../../figure.ts'
import { visitOnPhones } from '../../slow-phone.ts'
import { openStack } from '../../stack.ts'

/** Usable: it is laid out with its styles, and its links can be pressed. */
const IS_USABLE = `document.styleSheets.length > 0 && document.querySelector('.foot a')?.getBoundingClientRect().width > 0
  && performance.getEntriesByName('first-contentful-paint').length > 0`

export default {
  id: 'P88',
  title: 'first page of the website on a slow phone, first visit: until it is usable, and its weight',
  async measure(bench) {
    await using stack = await openStack(bench.environment, {})
    const { slow, fast } = await visitOnPhones(bench, `${stack.baseUrl}/`, IS_USABLE)
    const usable = { label: 'usable', unit: 's', ours: slow.seconds, floor: fast.seconds, goal: { atMost: 1 } }
    const heavy = { label: 'weight', unit: 'kB', ours: slow.kilobytes, floor: slow.kilobytes, goal: { atMost: 60 } }
    return [
      { ...usable, judgedBy: 'ours', limitedBy: 'two round trips of 150 ms: the page, and its styles' },
      { ...heavy, judgedBy: 'ours', limitedBy: 'the page and its styles', facts: { slow: slow.visits } },
    ]
  },
} satisfies Figure
