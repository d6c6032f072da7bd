import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Draw a chart from rows',
  lead: 'Name the columns and get a picture for a report or a mail. Specifications of Vega-Lite, Vega and Chart.js are drawn too.',
  keywords: 'chart, graph, plot, vega, chart.js, bar chart, visualization, image',
  steps: [
    {
      call: 'generate.chart',
      input: {
        type: 'bar',
        title: 'Rain in mm',
        data: {
          rows: [
            { city: 'Oslo', rain: 76 },
            { city: 'Łódź', rain: 48 },
            { city: 'Rome', rain: 65 },
          ],
        },
        x: 'city',
        y: 'rain',
        width: 640,
        height: 360,
      },
      saves: 'chart.png',
    },
  ],
  pitfalls: [
    'Pictures are drawn at twice the width that you ask for, for sharp screens; `scale: 1` turns that off.',
    'A specification that loads data from the web is refused with `CHART_EXTERNAL_DATA`: put the rows into the call.',
    'Mail programs do not show SVG. Ask for PNG there.',
    'More than 50,000 marks are refused. Group the rows first with `data.groupby`.',
  ],
})
