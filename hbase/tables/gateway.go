package tables

import (
	"strconv"

	"twibase/hbase"
)

// Gateways is a row with a column per gateway, to compare settings.
var Gateways = gateways{}

type gateways struct{}

// GatewaySettings must have the same FanoutLimit in all gateways.
type GatewaySettings struct {
	Gateway     string // id
	FanoutLimit int
	At          int64 // last put, by the store's clock
}

func (gateways) Get() hbase.Get {
	return hbase.Get{Table: Broadcasters.Table, Row: RowKey("gateways"), Columns: broadcastersFamily}
}

func (n gateways) Put(s GatewaySettings) hbase.Put {
	get := n.Get()
	return hbase.Put{Table: get.Table, Row: get.Row, Cells: []hbase.Cell{
		{Family: broadcastersFamily, Qualifier: s.Gateway, Value: strconv.AppendInt(nil, int64(s.FanoutLimit), 10)}}}
}

func (n gateways) Remove(gateway string) hbase.Delete {
	get := n.Get()
	return hbase.Delete{Table: get.Table, Row: get.Row, Columns: []hbase.Deletion{
		{Kind: hbase.AllVersions, Family: broadcastersFamily, Qualifier: gateway}}}
}

// Decode skips unreadable settings.
func (gateways) Decode(cells []hbase.Cell) (all []GatewaySettings) {
	for _, c := range cells {
		if limit, err := strconv.Atoi(string(c.Value)); err == nil {
			all = append(all, GatewaySettings{c.Qualifier, limit, c.Timestamp})
		}
	}
	return all
}
