import { expect, test } from 'vitest'
import { renderMarkup } from '../../api/pages/parts/markup.ts'

const render = (text: string) =>
  renderMarkup(text)
    .map(({ text: part }) => part)
    .join('')
    .replaceAll(/\s(?:class|tabindex|role|aria-label|scope)="[^"]*"/g, '')

test.each([
  [
    'Prices:\n| Thing | Price |\n|:--|--:|\n| `a|b` \\| c | **3** |\n| <b> |\n\nEnd',
    '<p>Prices:</p><div><table><thead><tr><th>Thing</th><th>Price</th></tr></thead><tbody>' +
      '<tr><td>`a</td><td>b` | c</td></tr><tr><td>&lt;b&gt;</td><td></td></tr></tbody></table></div><p>End</p>',
  ],
  [
    'A | B\n--- | ---\n1 | 2',
    '<div><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
  ],
  ['either | or\n---', '<p>either | or<br>---</p>'],
  ['# Terms\nThe buyer pays.', '<p><strong>Terms</strong></p><p>The buyer pays.</p>'],
  ['Goods:\n- one\n  and more\n- two', '<p>Goods:</p><ul><li>one and more</li><li>two</li></ul>'],
  ['2. Price', '<ol><li value="2">Price</li></ol>'],
  ['1. a\n3. b', '<ol><li value="1">a</li><li value="3">b</li></ol>'],
  ['1. a\n1. b', '<ol><li value="1">a</li><li value="2">b</li></ol>'],
  ['as said in clause\n12. of this', '<p>as said in clause<br>12. of this</p>'],
])('shows %j', (text, shown) => {
  expect(render(text)).toBe(shown)
})
