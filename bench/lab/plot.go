package main

import (
	"bytes"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	panelWidth, panelHeight = 4.4 * vg.Inch, 2.5 * vg.Inch
	legendHeight            = 0.35 * vg.Inch
)

// colours can be distinguished with colour blindness (Okabe and Ito).
var colours = []color.Color{
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
}

var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}}

func drawPlot(file string, c comparison, results []result) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	queries := c.at(c.scales[0]).queries
	var panels [][]*plot.Plot
	for _, q := range queries {
		var row []*plot.Plot
		low, high := math.Inf(1), 0.0
		for _, r := range results {
			p, err := c.panel(q, r)
			if err != nil {
				return err
			}
			row = append(row, p)
			low, high = min(low, p.Y.Min), max(high, p.Y.Max)
		}
		for _, p := range row {
			p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))
		}
		panels = append(panels, row)
	}
	canvas := vgsvg.New(panelWidth*vg.Length(len(results)), panelHeight*vg.Length(len(panels))+legendHeight)
	whole := draw.New(canvas)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	legend(draw.Crop(whole, 0, 0, whole.Max.Y-legendHeight, 0), results[0].designs)
	tiles := draw.Tiles{Rows: len(panels), Cols: len(results), PadX: 14, PadY: 10, PadLeft: 4, PadTop: 8, PadRight: 8,
		PadBottom: 4}
	below := draw.Crop(whole, 0, 0, 0, -legendHeight)
	for i, row := range panels {
		for j, p := range row {
			p.Draw(tiles.At(below, j, i))
		}
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	// Arial has the metrics of Liberation Sans.
	text := bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans"),
		[]byte("font-family:Liberation Sans,Arial,sans-serif"))
	return os.WriteFile(file, text, 0o644)
}

func (c comparison) panel(q query, r result) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = r.engine.name() + ": " + q.name
	p.Title.TextStyle.Font.Size, p.Title.Padding = 10, 6
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = plot.TickerFunc(durations)
	p.X.Label.Text, p.X.Label.TextStyle.Font.Size, p.X.Label.Padding = c.scale, 10, 4
	if q.axis != "" {
		p.X.Label.Text = q.axis
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = nil, color.Gray{0xdd}
	p.Add(grid)
	lines := make([]plotter.XYs, len(r.designs))
	var ticks plot.ConstantTicks
	for _, m := range r.measured {
		x := m.size
		if q.axis == "" {
			x = m.scale
		} else if m.scale != c.scales[len(c.scales)-1] {
			continue
		}
		if m.query.name != q.name {
			continue
		}
		ticks = append(ticks, plot.Tick{Value: float64(x), Label: strconv.Itoa(x)})
		for i, cost := range m.costs {
			if cost != nil {
				lines[i] = append(lines[i], plotter.XY{X: float64(x), Y: cost.time.Seconds()})
			}
		}
	}
	p.X.Tick.Marker = ticks
	for i, xys := range lines {
		if len(xys) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width, points.GlyphStyle = colours[i], 1.6, glyph(i)
		p.Add(line, points)
	}
	return p, nil
}

func glyph(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colours[i], Radius: 3, Shape: shapes[i]}
}

func legend(c draw.Canvas, designs []string) {
	style := draw.TextStyle{Color: color.Black, Font: font.From(plot.DefaultFont, 11), YAlign: draw.YCenter,
		Handler: plot.DefaultTextHandler}
	x, y := c.Min.X+12, (c.Min.Y+c.Max.Y)/2
	for i, name := range designs {
		c.StrokeLine2(draw.LineStyle{Color: colours[i], Width: 1.6}, x, y, x+24, y)
		c.DrawGlyph(glyph(i), vg.Point{X: x + 12, Y: y})
		c.FillText(style, vg.Point{X: x + 30, Y: y}, name)
		x += 30 + style.Width(name) + 22
	}
}

func durations(low, high float64) (ticks []plot.Tick) {
	for power := math.Floor(math.Log10(low)); power <= math.Ceil(math.Log10(high)); power++ {
		at := math.Pow(10, power)
		ticks = append(ticks, plot.Tick{Value: at, Label: time.Duration(math.Round(at * 1e9)).String()})
		for n := 2.0; n < 10; n++ {
			ticks = append(ticks, plot.Tick{Value: n * at})
		}
	}
	return ticks
}
