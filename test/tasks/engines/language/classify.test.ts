import { expect, test } from 'vitest'
import { openClassifier } from '../../../../tasks/engines/language/classify.ts'

const LABELS = [
  { name: 'delivery', examples: ['Where is my parcel?', 'The package is late', 'It was not delivered'] },
  { name: 'refund', examples: ['I want my money back', 'Refund me please', 'Please return my payment'] },
]
const classify = openClassifier(LABELS)

test.each(['The weather is nice', 'I like my dog', 'Where is it?', 'It was not me', 'My mother is not back'])(
  'shares only small words with every label: %s',
  text => {
    expect(classify(text).map(({ score }) => score)).toEqual([0, 0])
  },
)

test.each([
  ['My parcel never came, where is it?', 'delivery'],
  ['the delivery of both packages was late', 'delivery'],
  ['Parcel-tracking shows nothing', 'delivery'],
  ['I am still waiting to be refunded', 'refund'],
])('knows by the words that tell: %s', (text, name) => {
  const [best] = classify(text)
  expect(best).toMatchObject({ name })
  expect(best!.score).toBeGreaterThan(0.5)
})

test('small words of other languages do not count either', () => {
  const german = openClassifier([
    { name: 'Lieferung', examples: ['Wo ist mein Paket?', 'Die Sendung ist zu spät', 'Es wurde nicht geliefert'] },
    { name: 'Geld', examples: ['Ich will mein Geld zurück', 'Bitte erstatten Sie den Preis', 'Das war zu teuer'] },
  ])
  expect(german('Das Wetter ist nicht schön').every(({ score }) => score === 0)).toBe(true)
  expect(german('Die Paketzustellung war eine Katastrophe')[0]).toMatchObject({ name: 'Lieferung' })
})

test('small words count where there are no others', () => {
  const greetings = openClassifier([
    { name: 'greeting', examples: ['How are you?', 'Hello there', 'Good morning'] },
    { name: 'bill', examples: ['Send the bill', 'An invoice please', 'What do I owe?'] },
  ])
  expect(greetings('how are you')[0]).toMatchObject({ name: 'greeting' })
})
